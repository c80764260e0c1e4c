"""Aggregation: many responses to an item turned into one label or one number."""
