"""The exact order from judges who do not err: clusters, their posterior, the next comparison."""
