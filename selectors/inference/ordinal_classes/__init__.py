"""Ordered latent classes: belief propagation over noisy comparisons, structure search."""
