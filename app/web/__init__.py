"""The HTTP API: routes, access, presenters, problem documents, middleware."""
