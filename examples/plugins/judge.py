"""thresher crawl beekeeping --set judge.name=judge:WordShare --strategy best_first --pages 200"""

from thresher import Judge, Page, Topic


class WordShare(Judge):
    """Scores by the share of the topic's words; the title counts three times the text."""

    def __init__(self, topic: Topic, threshold: float = 0.2) -> None:
        self.threshold = threshold
        self.wanted = set(topic.name.lower().split())

    def score(self, page: Page) -> float:
        return 0.75 * self.similarity(page.title) + 0.25 * self.similarity(page.text)

    def similarity(self, text: str) -> float:
        return len(self.wanted & set(text.lower().split())) / len(self.wanted)
