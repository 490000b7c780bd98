"""The judges: how well a page or a short text fits the topic, from 0 to 1, and why."""
