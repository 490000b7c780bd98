"""What the user wants: a topic from words, a taxonomy node, an ontology or example pages."""
