"""Workers in other processes and on other machines: messages, leases, the lease table, and two transports."""
