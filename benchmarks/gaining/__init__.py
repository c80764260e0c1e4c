"""What information gain reaches, and what it costs."""
