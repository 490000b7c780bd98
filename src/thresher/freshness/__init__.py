"""When to look at a page again, and what changed when we did: numbers in, numbers out."""
