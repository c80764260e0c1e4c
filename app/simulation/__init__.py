"""Studies played out before a cent is spent: simulated workers, real selectors."""
