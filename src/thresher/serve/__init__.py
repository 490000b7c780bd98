"""The server: crawls watched, searched and steered in a browser, by an API that is open to any program."""
