"""The demonstration: a service in the background, an example study, workers who judge it."""
