"""Expensive computations: helper processes compute them, within limits."""
