"""What the learning strategy is made of: rows of evidence, yields, texts, and a regression over them."""
