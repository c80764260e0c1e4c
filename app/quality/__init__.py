"""Quality of workers: gold questions, batches, verdicts, gates and rules."""
