"""Language models by plain HTTP, for who names one: what they say of pages, and vectors for texts."""
