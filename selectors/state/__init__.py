"""The state of one topic: documents, judgments, the order and its classes, the reported order."""
