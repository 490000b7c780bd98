"""Thresher in the hands of other people's programs: `make clients` installs and runs them."""
