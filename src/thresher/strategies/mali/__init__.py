"""Mali and Meshram 2011."""
