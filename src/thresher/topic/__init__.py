"""What the user wants, whatever it was made from."""
