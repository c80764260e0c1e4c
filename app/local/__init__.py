"""The local service of a folder: started there, and found there by other commands."""
