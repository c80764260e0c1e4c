"""The use cases: asking, answering, taking back, and saying what is known."""
