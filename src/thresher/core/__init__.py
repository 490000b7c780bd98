"""The records that travel, the doors between the rooms, the URLs and the errors."""
