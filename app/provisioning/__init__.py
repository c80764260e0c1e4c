"""Setting up studies, topics and workers, with large uploads in small transactions."""
