"""Studies: their settings, with the rules of quality and pay."""
