"""What placement needs and reaches, a table per file."""
