"""The default judge: how likely a person who asked this question would say yes to a page."""

from thresher.judges.question.judge import QuestionJudge as QuestionJudge
