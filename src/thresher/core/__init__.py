"""The records that travel, the interfaces between packages, the URLs and the errors."""
