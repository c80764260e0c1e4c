"""Schemas of the HTTP API, shared by the service, its client and its pages."""
