"""What is known of the world: the shipped taxonomy, and the dictionaries and ontologies a user adds."""
