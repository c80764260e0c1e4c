"""The endpoints, one file per noun; each is thin, and its wire format stands beside it."""
