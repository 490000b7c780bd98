"""Each of the five papers on a web made for it: its tables, its figures, its formulas with numbers."""
