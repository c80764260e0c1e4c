"""Agreement: how far answers, workers and rankings say the same."""
