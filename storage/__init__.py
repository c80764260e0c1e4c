"""The memory: what outlives a process."""
