"""The demonstration: a background service, an example study, and simulated workers."""
