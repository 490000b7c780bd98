"""A topic typed in any language of the registry works: its page is found, another on the same site is not."""

import pytest

from thresher.core.records import Candidate, Concept, Fetched, Neighbour, Page, Topic, Url
from thresher.filters.pages import seems_missing
from thresher.judges import make_judge
from thresher.parse import parse
from thresher.text.detect import language_of
from thresher.text.languages import LANGUAGES
from thresher.text.tokenize import plain_words, word_counts, words
from thresher.topic.build import TopicRequest, make_topic

PAGES = {
    "en": (
        "steam engines",
        (
            "A steam engine burns coal to boil water. The first engines pumped water out of mines, "
            "and later engines of many kinds drove mills with their steam."
        ),
        ("The baker kneads the dough in the morning and lets it rest before the bread goes into the oven."),
    ),
    "zh": (
        "蒸汽机",
        ("蒸汽机用煤把水烧开，蒸汽推动活塞。最早的蒸汽机从矿井里抽水，后来的蒸汽机带动了磨坊和火车。"),
        "面包师早上揉面，让面团休息一会儿，然后把面包放进烤箱，满屋子都是香味。",
    ),
    "de": (
        "Dampfmaschinen",
        (
            "Die Dampfmaschine verbrennt Kohle und kocht Wasser. Mit einer Dampfmaschine wurde "
            "zuerst Wasser aus den Bergwerken gepumpt, und später trieb die Dampfmaschine auch "
            "Mühlen an."
        ),
        ("Der Bäcker knetet am Morgen den Teig und lässt ihn ruhen, bevor das Brot in den Ofen kommt."),
    ),
    "fr": (
        "machines à vapeur",
        (
            "La machine à vapeur brûle du charbon pour faire bouillir l'eau. La première machine à "
            "vapeur pompait l'eau des mines, et la vapeur d'une machine plus tard faisait tourner "
            "les moulins."
        ),
        ("Le boulanger pétrit la pâte le matin et la laisse reposer avant de mettre le pain dans le four."),
    ),
    "es": (
        "máquinas de vapor",
        (
            "La máquina de vapor quema carbón para hervir el agua. La primera máquina sacaba agua "
            "de las minas con el vapor, y después la máquina de vapor movió también los molinos."
        ),
        ("El panadero amasa por la mañana y deja reposar la masa antes de meter el pan en el horno."),
    ),
    "ru": (
        "паровые машины",
        (
            "Паровая машина сжигает уголь и кипятит воду. Первой паровой машиной откачивали воду "
            "из шахт, а позже паровую машину поставили и на мельницы."
        ),
        ("Пекарь утром замешивает тесто и даёт ему отдохнуть, прежде чем хлеб отправится в печь."),
    ),
    "pt": (
        "máquinas a vapor",
        (
            "A máquina a vapor queima carvão para ferver a água. A primeira máquina tirava água "
            "das minas com o vapor, e depois a máquina a vapor moveu também os moinhos."
        ),
        "O padeiro amassa pela manhã e deixa a massa descansar antes de levar o pão ao forno.",
    ),
    "it": (
        "macchine a vapore",
        (
            "La macchina a vapore brucia carbone per far bollire l'acqua. La prima macchina "
            "pompava l'acqua dalle miniere con il vapore, e poi la macchina a vapore mosse anche i "
            "mulini."
        ),
        ("Il fornaio impasta la mattina e lascia riposare la pasta prima di mettere il pane nel forno."),
    ),
    "ja": (
        "蒸気機関",
        (
            "蒸気機関は石炭を燃やして水を沸かします。最初の蒸気機関は鉱山から水をくみ上げ、のちの"
            "蒸気機関は工場を動かしました。"
        ),
        ("パン屋は朝に生地をこねて、しばらく休ませてから窯に入れます。町はよい香りでいっぱいです。"),
    ),
    "ko": (
        "증기 기관",
        (
            "증기기관은 석탄을 태워 물을 끓인다. 처음의 증기기관은 광산에서 물을 퍼 올렸고, 나중의 "
            "증기기관은 공장을 움직였다."
        ),
        ("빵집 주인은 아침에 반죽을 치대고 잠시 쉬게 한 다음 오븐에 넣는다. 온 동네에 좋은 냄새가 난다."),
    ),
    "el": (
        "ατμομηχανή",
        (
            "Η ατμομηχανή καίει κάρβουνο και βράζει νερό. Η πρώτη ατμομηχανή έβγαζε νερό από τα "
            "ορυχεία, και αργότερα η ατμομηχανή κίνησε και τους μύλους."
        ),
        ("Ο φούρναρης ζυμώνει το πρωί και αφήνει τη ζύμη να ξεκουραστεί πριν βάλει το ψωμί στον φούρνο."),
    ),
}  # "el" stands for the languages of which we know no more than the script


class NoKnowledge:
    """A lexicon that knows nothing."""

    def senses(self, phrase: str) -> list[Concept]:
        return []

    def nearest(self, label: str, several: int = 5) -> list[Concept]:
        return []

    def neighbours(self, concept: str) -> list[Neighbour]:
        return []

    def path(self, concept: str) -> list[Concept]:
        return []

    def nodes(self, label: str) -> list[Concept]:
        return []

    def translations(self, phrase: str) -> list[str]:
        return []


def topic_in(language: str) -> Topic:
    return make_topic(TopicRequest(PAGES[language][0], language=language), NoKnowledge())


def page(text: str) -> Page:
    return Page(Url("http://a.test/"), text=text, main=text)


@pytest.mark.parametrize("language", PAGES)
def test_the_page_on_the_topic_is_found_and_the_other_is_not(language):
    _, right, wrong = PAGES[language]
    judge = make_judge(topic_in(language))
    assert judge.score(page(right)) >= judge.threshold > judge.score(page(wrong))


@pytest.mark.parametrize("language", PAGES)
def test_the_language_of_the_page_is_told(language):
    _, right, wrong = PAGES[language]
    assert [language_of(right), language_of(wrong)] == [language, language]


@pytest.mark.parametrize("language", PAGES)
def test_a_parsed_page_has_the_language_of_its_text_whatever_it_declares(language):
    url = Url("http://a.test/")
    markup = f"<html lang=en><title>x</title><p>{PAGES[language][1]}</p>".encode()
    fetched = Fetched(Candidate(url), url, 200, (("content-type", "text/html; charset=utf-8"),), markup)
    assert parse(fetched).language == language


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("en", "engines", "engine"),
        ("de", "Ausdrücke", "Ausdruck"),
        ("fr", "l'expression", "expressions"),
        ("es", "máquinas", "máquina"),
        ("ru", "машины", "машиной"),
        ("pt", "máquinas", "máquina"),
        ("it", "dell'espressione", "espressioni"),
    ],
)
def test_inflections_of_a_word_are_one_word(language, one, other):
    assert plain_words(one, language) == plain_words(other, language) != []


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "ru", "pt", "it"])
def test_stop_words_are_no_words(language):
    assert LANGUAGES[language].stop_words
    assert not any(words(word, language) for word in LANGUAGES[language].stop_words)


def test_a_topic_that_is_clearly_in_another_language_need_not_say_so():
    assert make_topic(TopicRequest("reguläre Ausdrücke"), NoKnowledge()).language == "de"
    assert make_topic(TopicRequest("recolección de basura"), NoKnowledge()).language == "es"
    assert make_topic(TopicRequest("garbage collection"), NoKnowledge()).language == ""
    assert make_topic(TopicRequest("kubernetes"), NoKnowledge()).language == ""


def test_traditional_characters_are_found_by_simplified_ones():
    judge = make_judge(topic_in("zh"))
    assert (
        judge.score(page("蒸汽機用煤把水燒開，蒸汽推動活塞。最早的蒸汽機從礦井裡抽水。")) >= judge.threshold
    )
    assert language_of("蒸汽機用煤把水燒開，蒸汽推動活塞。") == "zh"


def test_a_korean_word_is_found_where_a_particle_stands_behind_it():
    assert word_counts("정규표현식은 어렵다")["표현식"] == 1


def test_a_latin_word_is_taken_for_english_unless_the_topic_is_in_another_language():
    assert words("engines of the mill") == words("engines of the mill", "zh") == ["engin", "mill"]
    assert words("die Mühlen", "de") == words("Mühle", "de") != words("die Mühlen")


MISSING = {
    "en": ("Page not found", "The page you asked for does not exist."),
    "zh": ("页面不存在", "您访问的页面不存在或已被删除。"),
    "de": ("Seite nicht gefunden", "Die Seite existiert nicht."),
    "fr": ("Page introuvable", "La page demandée n'existe pas."),
    "es": ("Página no encontrada", "La página que busca no existe."),
    "ru": ("Страница не найдена", "Запрошенная страница не существует."),
    "pt": ("Página não encontrada", "A página que procura não existe."),
    "it": ("Pagina non trovata", "La pagina richiesta non esiste."),
    "ja": ("ページが見つかりません", "お探しのページは存在しません。"),
    "ko": ("페이지를 찾을 수 없습니다", "요청하신 페이지가 존재하지 않습니다."),
}


@pytest.mark.parametrize("language", MISSING)
def test_an_error_page_in_disguise_is_told_in_each_language(language):
    title, text = MISSING[language]
    assert seems_missing(Page(Url("http://a.test/"), title=title, text=text))


@pytest.mark.parametrize("language", PAGES)
def test_a_page_that_has_something_to_say_is_no_error_page(language):
    assert not seems_missing(Page(Url("http://a.test/"), title=PAGES[language][0], text=PAGES[language][1]))
