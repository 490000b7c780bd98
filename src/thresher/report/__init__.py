"""What a crawl found, for people to read: reports, changes, explanations."""
