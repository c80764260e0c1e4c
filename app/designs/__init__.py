"""Designs: the questions that workers see and answer, one file each."""
