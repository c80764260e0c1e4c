"""Where workers come from: one file per platform."""
