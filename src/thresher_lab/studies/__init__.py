"""Experiments of single papers and features, each behind a verb of `thresher lab`."""
