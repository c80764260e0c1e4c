"""Tokens, API keys, rate limits, pseudonyms and receipts."""
