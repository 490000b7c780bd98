"""The languages we know something of, one entry each; of any other, words are what stands between spaces.

English and Chinese are whole: stems or characters, stop words, vectors, what error pages say. Others have a
stemmer and stop words; Japanese and Korean are found by their characters, as Chinese is.
"""

from functools import cache

import Stemmer
from msgspec import Struct

from thresher.text.stopwords import STOP_WORDS

PLAIN = "en"
"""The language by which words in Latin letters are taken unless somebody says otherwise."""


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
        self._stop_words = language.stop_words
        self._stem = Stemmer.Stemmer(language.stemmer, 0).stemWord

    def __call__(self, word: str) -> str:
        """Return what a word counts as, or nothing if it says nothing."""
        return "" if word in self._stop_words else str(self._stem(word))


@cache
def stems_of(code: str) -> Stemmed | None:
    """Return what stems the words of a language, or None if we have no stemmer of it."""
    language = LANGUAGES.get(code)
    return Stemmed(language) if language and language.stemmer else None
