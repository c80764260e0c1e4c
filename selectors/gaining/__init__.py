"""The parts of information gain: scores with their uncertainty, and the pair that tells most."""
