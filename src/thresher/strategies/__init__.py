"""The minds of a crawl: one published idea, one short file."""
