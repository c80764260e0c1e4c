"""One process at work: projections of topics, units of work, threads, shutdown."""
