"""Simulation of studies: simulated workers judge with real selectors, before anyone is paid."""
