"""Results of a topic: answer sets, scores, the reported ranking."""
