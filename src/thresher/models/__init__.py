"""Language models by plain HTTP, if the settings name one: verdicts on pages, and vectors for texts."""
