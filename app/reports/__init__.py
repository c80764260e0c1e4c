"""Reports: what a study's answers say of its workers, its design and itself."""
