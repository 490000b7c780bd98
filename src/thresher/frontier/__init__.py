"""What waits to be visited, in the order of its price, among the hosts that have rested."""
