"""Jamali et al. 2006."""
