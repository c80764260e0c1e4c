"""Worker models: how workers answer, and which of them contradict the others."""
