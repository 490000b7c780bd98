"""What we export in the hands of other tools, run by `make exchange`."""
