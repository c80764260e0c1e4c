"""A package, so that its browser ends with it."""
