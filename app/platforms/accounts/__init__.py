"""Accounts: the calls to each platform, for which its own file has no room."""
