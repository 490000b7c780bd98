"""Crawls for language models: the Model Context Protocol over standard input and output."""
