"""The endpoints, one module per resource; their docstrings are part of the OpenAPI description."""
