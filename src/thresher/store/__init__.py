"""What a crawl remembers: a folder with one SQLite file that holds visits, pages and links."""
