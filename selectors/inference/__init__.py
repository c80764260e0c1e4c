"""Inference: from comparisons to posteriors over classes, scores and workers."""
