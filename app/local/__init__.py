"""A service that belongs to a folder: started there, found there by other commands."""
