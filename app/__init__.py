"""The doors: the command line, and whatever else the outside calls."""
