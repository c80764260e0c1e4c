"""Designs: what a worker sees and answers, one file each."""
