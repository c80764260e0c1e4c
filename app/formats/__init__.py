"""File formats: TREC topics, qrels and runs, JSON Lines, CSV tables, plain or gzip."""
