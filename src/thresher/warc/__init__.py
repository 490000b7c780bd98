"""Web archives: WARC 1.1 written, WARC and ARC read whatever their state, and CDXJ to find a page in them."""
