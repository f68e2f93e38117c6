"""Long searches for differences, run by `scripts/chaos`; a small part of each runs as a test."""
