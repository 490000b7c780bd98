"""Workers in other processes and on other machines: messages, leases, the ledger, and two wires."""
