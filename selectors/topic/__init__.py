"""What is known about one topic."""
