"""What waits to be visited, in the order of its priority, among the hosts that have rested."""
