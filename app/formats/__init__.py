"""Files people already have: TREC qrels and runs, CSV tables, plain or compressed."""
