"""kill -9: a crawl is killed again and again, and nothing that it acknowledged is lost or stored twice."""
