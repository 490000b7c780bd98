"""Search: what the pages of crawls say, found by words in an index beside each crawl that may be deleted."""
