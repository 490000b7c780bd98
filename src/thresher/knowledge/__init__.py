"""What is known of the world: the shipped taxonomy, and whatever dictionaries and ontologies the user adds."""
