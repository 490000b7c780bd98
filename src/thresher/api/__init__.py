"""Thresher for programs and notebooks: verbs that crawl, and a handle on what they have found."""
