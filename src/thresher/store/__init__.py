"""What the visits left behind, in one crawl folder."""
