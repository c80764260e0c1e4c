"""Aggregation: many answers turned into one finding or one number per item."""
