"""Server-sent events: one reader of the judgment logs, and many subscriptions."""
