"""The words of the command line, one file each."""
