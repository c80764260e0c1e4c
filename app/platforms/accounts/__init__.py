"""What a platform's file has no room for: calls to the platform itself, one file per platform."""
