"""Pages that people use: the judging page, and what keeps it safe."""
