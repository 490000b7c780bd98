"""A disk that fails at its n-th write or fsync: the crawl stops with a sentence, and goes on later."""
