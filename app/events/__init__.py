"""News of topics, told to many at once as they come."""
