"""What a crawl found, in formats that other programs read."""
