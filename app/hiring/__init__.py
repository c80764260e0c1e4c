"""Hiring on crowd platforms: what to publish, whom to pay, and a budget that is never exceeded."""
