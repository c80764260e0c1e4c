"""The application: HTTP service, command line, client, simulation, and the rooms behind them."""
