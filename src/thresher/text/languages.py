"""The languages we know something of, one entry each; of any other, words are what stands between spaces.

English and Chinese are whole: stems or characters, stop words, vectors, what error pages say. Others have a
stemmer and stop words; Japanese and Korean are found by their characters, as Chinese is.
"""

from collections.abc import Callable
from functools import cache

import Stemmer
from msgspec import Struct

PLAIN = "en"
"""The language by which words in Latin letters are taken by default."""


class Missing(Struct, frozen=True):
    """How a page says that there is none: patterns for what is missing, and for that it is."""

    thing: str
    not_there: str
    apart: str = r"[^.!?。]{0,60}"  # what may stand between the two


class Language(Struct, frozen=True):
    """What is known of one language."""

    code: str
    name: str
    script: str = "latin"
    stemmer: str = ""  # of Snowball
    elides: bool = False  # l'uomo is uomo
    by_characters: bool = False  # no spaces, or words too long: found by neighbouring characters
    missing: Missing | None = None

    @property
    def stop_words(self) -> frozenset[str]:
        """The words that say nothing about a topic."""
        return STOP_WORDS.get(self.code, frozenset())


LANGUAGES: dict[str, Language] = {
    language.code: language
    for language in (
        Language(
            "en",
            "English",
            stemmer="english",
            missing=Missing(
                r"\b(?:page|url|address|document|file|article|item|product|content|resource|link|entry|post"
                r"|thread)\b",
                "(?:not (?:be )?found|doesn.t exist|does not exist|never existed"
                "|no longer (?:exists?|available)|has been (?:removed|deleted)|can.t find|unable to find"
                "|(?:can|could)(?: ?not|n.t) (?:find|be found)|is missing|is not available|is unavailable)",
            ),
        ),
        Language(
            "zh",
            "Chinese",
            "han",
            by_characters=True,
            missing=Missing(
                "(?:页面|頁面|网页|網頁|内容|內容|文章|帖子)",
                "(?:不存在|未找到|找不到|[无無]法找到|已(?:被)?[删刪]除|已失效)",
                "[^。]{0,12}",
            ),
        ),
        Language(
            "de",
            "German",
            stemmer="german",
            missing=Missing(
                r"\b(?:seite|artikel|adresse|inhalt|datei|dokument|beitrag)\b",
                "(?:nicht gefunden|existiert nicht|nicht (?:mehr )?(?:vorhanden|verfügbar)|wurde gelöscht)",
            ),
        ),
        Language(
            "fr",
            "French",
            stemmer="french",
            elides=True,
            missing=Missing(
                r"\b(?:page|article|adresse|contenu|fichier|document)\b",
                "(?:introuvable|n.existe (?:pas|plus)|n.est plus disponible|non trouvée?|a été supprimée?"
                "|n.a pas été trouvée?)",
            ),
        ),
        Language(
            "es",
            "Spanish",
            stemmer="spanish",
            missing=Missing(
                r"\b(?:página|artículo|dirección|contenido|archivo|documento)\b",
                "(?:no (?:se )?(?:ha sido |ha )?encontrad[ao]|no se (?:ha podido )?encontr(?:ó|ar)"
                "|no existe|ya no está disponible|ha sido eliminad[ao])",
            ),
        ),
        Language(
            "ru",
            "Russian",
            "cyrillic",
            stemmer="russian",
            missing=Missing(
                "(?:страниц[аыу]|стать[яию]|документ|файл|материал|адрес)",
                "(?:не найден[ао]?|не существует|удален[ао]?|удалён|больше не доступн[ао]?|отсутствует)",
            ),
        ),
        Language(
            "pt",
            "Portuguese",
            stemmer="portuguese",
            missing=Missing(
                r"\b(?:página|artigo|endereço|conteúdo|ficheiro|arquivo|documento)\b",
                "(?:não (?:foi )?encontrad[ao]|não existe|já não está disponível|foi removid[ao])",
            ),
        ),
        Language(
            "it",
            "Italian",
            stemmer="italian",
            elides=True,
            missing=Missing(
                r"\b(?:pagina|articolo|indirizzo|contenuto|documento)\b",
                "(?:non (?:è stat[ao] )?trovat[ao]|non esiste|non è più disponibile|è stat[ao] rimoss[ao])",
            ),
        ),
        Language(
            "ja",
            "Japanese",
            "kana",
            by_characters=True,
            missing=Missing(
                "(?:ページ|記事|ファイル)",
                "(?:見つかりません|存在しません|ありません|削除され)",
                "[^。]{0,20}",
            ),
        ),
        Language(
            "ko",
            "Korean",
            "hangul",
            by_characters=True,
            missing=Missing("(?:페이지|문서|게시물)", "(?:찾을 수 없|존재하지 않|삭제)", "[^.。]{0,20}"),
        ),
        Language("el", "Greek", "greek"),
        Language("he", "Hebrew", "hebrew"),
        Language("th", "Thai", "thai"),
    )
}

BY_SCRIPT = {
    language.script: language.code for language in reversed(LANGUAGES.values()) if language.script != "latin"
}
"""The language that a script is taken for where nothing else tells."""


class Stemmed:
    """The stems of one language's words; its stop words have none."""

    def __init__(self, language: Language) -> None:
        """Know a language that has a stemmer."""
        self.stop_words = language.stop_words
        self.stem: Callable[[str], str] = Stemmer.Stemmer(language.stemmer, 0).stemWord

    def __call__(self, word: str) -> str:
        """Return what a word counts as, or nothing if it says nothing."""
        return "" if word in self.stop_words else self.stem(word)


@cache
def stems_of(code: str) -> Stemmed | None:
    """Return what stems the words of a language, or None if we have no stemmer of it."""
    language = LANGUAGES.get(code)
    return Stemmed(language) if language and language.stemmer else None


# Stop words, in each language that has its own list; the commonest ones tell the language


_ENGLISH = """
    a about above across after afterwards again against all almost alone along already also although
    always am among amongst an and another any anybody anyhow anyone anything anyway anywhere are aren't
    around as at away back be became because become becomes been before beforehand behind being below
    beside besides between beyond both but by can can't cannot could couldn't did didn't do does doesn't
    doing don't done down during each eight either else elsewhere enough etc even ever every everybody
    everyone everything everywhere except few first five for four from further get gets getting go goes
    going gone got had hadn't has hasn't have haven't having he he'd he'll he's hence her here here's hers
    herself him himself his how how's however i i'd i'll i'm i've if in indeed instead into is isn't it
    it'd it'll it's its itself just last latter least less let let's like likely made make makes many may
    maybe me meanwhile might more moreover most mostly much must mustn't my myself namely near neither
    never nevertheless next nine no nobody none nor not nothing now nowhere of off often oh on once one
    ones only onto or other others otherwise ought our ours ourselves out over own per perhaps please
    quite rather really said same say says second see seem seemed seems seven several shall she she'd
    she'll she's should shouldn't since six so some somebody somehow someone something sometimes somewhere
    still such take ten than that that's the their theirs them themselves then there there's thereby
    therefore these they they'd they'll they're they've thing things third this those though three through
    throughout thus to together too toward towards two under unless until up upon us use used uses using
    usually various very via was wasn't way we we'd we'll we're we've well were weren't what what's
    whatever when where whereas wherever whether which while who who's whoever whole whom whose why will
    with within without won't would wouldn't yes yet you you'd you'll you're you've your yours yourself
    yourselves
"""

_CHINESE = """
    的 了 是 在 和 与 及 或 而 也 都 就 还 又 并 且 但 却 则 若 如 因 由 从 自 向 往 对 于 以 为 被 把 将
    让 给 使 令 我 你 您 他 她 它 我们 你们 他们 她们 它们 自己 咱们 大家 谁 什么 哪 哪个 哪里 哪些 怎么
    怎样 怎么样 如何 为什么 多少 几 这 那 这个 那个 这些 那些 这里 那里 这样 那样 这种 那种 这么 那么 此
    该 其 其他 其它 其中 另 另外 某 某些 每 各 各种 本 有 没 没有 不 不是 不会 不能 不要 未 无 非 别 很 太
    更 最 较 比较 非常 十分 挺 极 真 只 只是 只有 仅 仅仅 才 再 已 已经 曾 曾经 正 正在 将要 会 能 能够 可
    可以 可能 应 应该 应当 要 需要 必须 想 得 地 着 过 吗 呢 吧 啊 呀 哦 嘛 啦 哈 嗯 因为 所以 因此 由于
    如果 假如 要是 虽然 尽管 但是 可是 然而 不过 而且 并且 或者 以及 还是 还有 于是 然后 接着 同时 此外
    例如 比如 等 等等 之 之后 之前 之间 以后 以前 以上 以下 以外 以内 后来 后 前 里 中 上 下 内 外 时 时候
    当 当时 现在 目前 一 二 三 四 五 六 七 八 九 十 两 个 一个 一些 一种 一样 一下 一直 一般 一次 一点 些
    种 次 位 件 条 只要 不仅 不但 不同 来 去 到 做 说 看 让 用 使用 进行 通过 根据 按照 关于 对于 有关
    成为 作为 出 起 起来 出来 上面 下面 其实 就是 也是 都是 即 即使 便 与其 既 既然 无论 不管 除了 直到 至
    至于 甚至 所 所有 任何 许多 很多 多 少 大 小 好 新 点 月 日 年
"""

_GERMAN = """
    ab aber alle allem allen aller alles als also am an andere anderen anderer anderes auch auf aus bei
    beim bin bis bist da dabei dadurch daher damit danach dann daran darauf darf darum das dass davon
    dazu dein deine dem den denen denn der deren des dessen dich die dies diese diesem diesen dieser
    dieses dir doch dort du durch ein eine einem einen einer eines einige er es etwa etwas euch euer für
    gegen gibt hab habe haben hat hatte hatten her hier hin hinter ich ihm ihn ihnen ihr ihre ihrem
    ihren ihrer im immer in ins ist ja jede jedem jeden jeder jedes jetzt kann kannst kein keine keinen
    keiner können könnte man mehr mein meine mich mir mit muss müssen nach nicht nichts noch nun nur ob
    oder ohne schon sehr sein seine seinem seinen seiner seit sich sie sind so sollte sondern sonst über
    um und uns unser unsere unter viel viele vom von vor war waren warum was weil weiter welche welchen
    welcher welches wenn wer werden wie wieder will wir wird wo wurde wurden zu zum zur zwar zwischen
"""

_FRENCH = """
    à afin ai ainsi alors après au aucun aucune aujourd'hui auquel aussi autre autres aux avait avant
    avec avoir ayant c'est car ce ceci cela celle celles celui cependant certains ces cet cette ceux
    chaque chez ci comme comment d'un d'une dans de depuis des désormais deux doit donc dont du elle
    elles en encore entre est et étaient était étant été être eu fait faire font fut hors ici il ils
    j'ai je jusqu'à l'on la là le lequel les leur leurs lors lui ma mais me même mes moi moins mon n'a
    n'est ne ni nos notre nous on ont or ou où par parce pas pendant peu peut peuvent plus plusieurs
    plutôt pour pourquoi qu'elle qu'il qu'ils qu'on qu'un quand que quel quelle quelles quelque quelques
    quels qui quoi s'est s'il sa sans se selon sera ses si sinon soit son sont sous sur ta te tes toi
    ton toujours tous tout toute toutes très trop tu un une vers vos votre vous y
"""

_SPANISH = """
    a al algo algún alguna algunas alguno algunos ante antes aquel aquella aquellos aquí así aún aunque
    cada casi como cómo con contra cual cuál cuales cualquier cuando cuándo cuanto de del desde donde
    dónde dos durante e el él ella ellas ellos en entonces entre era eran es esa esas ese eso esos esta
    está ésta estaba están estar estas este esto estos fue fueron ha había habían hace hacer hacia han
    hasta hay hemos incluso la las le les lo los luego más me mediante menos mi mientras mis mismo mucho
    muchos muy nada ni ningún ninguna no nos nosotros nuestra nuestro o otra otras otro otros para pero
    poco por porque pues que qué quien quién quienes se según sea ser si sí sido siempre sin sino sobre
    solo sólo son su sus tal también tampoco tan tanto te tiene tienen toda todas todavía todo todos
    tras tu un una unas uno unos usted ya y yo
"""

_PORTUGUESE = """
    a à ainda algo algum alguma algumas alguns ante antes ao aos apenas após aquela aquele aqueles as às
    assim até cada com como contra da das de dela dele deles depois desde desta deste disse do dos duas
    e é ela elas ele eles em enquanto então entre era eram essa essas esse esses esta está estão estar
    estas estava este estes eu foi foram há isso isto já la lhe mais mas me mesmo meu minha muito muitos
    na não nas nem nenhum no nos nós nossa nosso num numa o onde os ou outra outras outro outros para
    pela pelas pelo pelos pode podem por porque pouco qual quais quando que quem são se seja sem sempre
    ser será seu seus sido sob sobre só sua suas também tanto te tem têm ter tinha toda todas todo todos
    tudo um uma umas uns vai você vocês
"""

_ITALIAN = """
    a ad agli ai al alcuni alcune alla alle allo altra altre altri altro anche ancora avere aveva
    avevano c'è che chi ci ciò cioè col come con contro così cosa cui da dagli dai dal dalla dalle dallo
    degli dei del dell della delle dello dentro deve di dopo dove due durante e è ed era erano essere fa
    fino fra fu già gli ha hanno ho i il in infatti invece io l la le lei li lo loro lui ma mai me
    mentre mi mia mio molti molto ne negli nei nel nell nella nelle nello nessun no noi non nostra
    nostro o ogni oltre oppure ora per perché però più poi possono prima proprio può qual quale quali
    qualche quando quanto quella quelle quelli quello questa queste questi questo qui quindi quasi se sé
    secondo sempre senza si sia siano sia sono sopra sotto sta stata stato stati su sua sue sugli sui
    sul sulla sulle suo suoi tra tu tutta tutte tutti tutto un una uno verso vi voi
"""

_RUSSIAN = """
    а без более больше бы был была были было быть в вам вас весь во вот все всего всех всё вы где да
    даже для до его ее её ей если есть еще ещё же за здесь и из или им их к каждый как какая какой какие
    когда кто ли либо между меня мне много может можно мой мы на над надо нас наш не него нее нет неё ни
    них но ну о об один однако он она они оно от очень перед по под поэтому после потом потому почти при
    про раз с сам свой своих себя сейчас со так такая также такие такой там те тем то того тоже той
    только том тот ту ты у уже чего чем через что чтобы эта эти этих это этого этой этом этот эту я
"""

_KOREAN = """
    그 그리고 그러나 그런 나는 너무 는 더 또 또는 등 때문 때문에 및 매우 모든 바로 수 아주 우리 이
    이것 이런 있다 있는 위한 저 즉 하는 하지만 한 합니다 것
"""

_JAPANESE = """
    から など この これ こと さん した して する その それ ため です でき ない なり なる ます まし
    また もの よう より られ れる ある あり いる いた いて
"""

STOP_WORDS: dict[str, frozenset[str]] = {
    "en": frozenset(_ENGLISH.split()),
    "zh": frozenset(_CHINESE.split()),
    "de": frozenset(_GERMAN.split()),
    "fr": frozenset(_FRENCH.split()),
    "es": frozenset(_SPANISH.split()),
    "pt": frozenset(_PORTUGUESE.split()),
    "it": frozenset(_ITALIAN.split()),
    "ru": frozenset(_RUSSIAN.split()),
    "ko": frozenset(_KOREAN.split()),
    "ja": frozenset(_JAPANESE.split()),
}

ENGLISH_STOP_WORDS, CHINESE_STOP_WORDS = STOP_WORDS["en"], STOP_WORDS["zh"]
