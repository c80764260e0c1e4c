"""Placement: where each document stands among the classes, and what to ask to find out."""
