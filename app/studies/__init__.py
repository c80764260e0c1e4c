"""Studies: their settings, and setting up studies, topics and workers."""
