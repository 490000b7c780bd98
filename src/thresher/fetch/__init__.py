"""The webs: anything that answers for a URL."""
