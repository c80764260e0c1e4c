"""Gaussian scores: Thurstone comparisons, expectation propagation, mutual information."""
