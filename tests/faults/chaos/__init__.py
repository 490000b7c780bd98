"""Plugs are pulled at random: workers, the crawl, the engine; and the folder is that of the single crawl."""
