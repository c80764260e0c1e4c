"""The subcommands of `nextpair`, one module each."""
