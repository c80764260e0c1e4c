"""Calls that compute for long: processes of their own work on them, within limits."""
