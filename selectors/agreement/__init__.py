"""Agreement: of responses to an item, of workers with themselves, of rankings and of systems."""
