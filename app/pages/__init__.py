"""Pages that people use: the judging page, the dashboard, and what keeps them safe."""
