"""The language of a text, also of a short anchor, and of Chinese pages full of Latin names."""

import pytest

from thresher.text.detect import language_of, script_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Read more", "en"),
        ("篮球", "zh"),
        ("The history of the game", "en"),
        ("使用 PyTorch 和 TensorFlow 训练 Transformer 模型 model.fit(X_train, y_train)", "zh"),
        ("日本語のページです", "ja"),
        ("한국어 페이지", "ko"),
        ("Der Hund ist nicht im Haus und das ist gut", "de"),
        ("Le chat est dans la maison avec les enfants", "fr"),
        ("El gato está en la casa con los niños", "es"),
        ("Привет мир", "ru"),
    ],
)
def test_script_first_then_common_words(text, language):
    assert language_of(text) == language


def test_what_was_declared_counts_only_where_the_text_says_nothing():
    assert language_of("1234 !!!", "fr") == "fr"
    assert language_of("the cat and the dog", "fr") == "en"


def test_a_text_without_letters_has_no_script():
    assert script_of("123 ... ???") == ""
