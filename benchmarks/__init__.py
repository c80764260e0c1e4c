"""A command for every claim: `python -m benchmarks.NAME`, or all of them by `make bench`."""
