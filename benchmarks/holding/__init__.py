"""Faults and attacks on a running service, and what it answers and keeps meanwhile."""
