"""Bytes as no honest server sends them, against every reader of foreign bytes: `make fuzz`."""
