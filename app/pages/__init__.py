"""The pages: judging page, dashboard and plain pages, with their headers and the sanitiser."""
