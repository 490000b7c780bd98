"""The gate: which offered links are queued."""
