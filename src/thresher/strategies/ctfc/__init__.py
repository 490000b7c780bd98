"""CT-FC."""
