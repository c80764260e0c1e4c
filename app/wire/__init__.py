"""What goes over the wire: the shapes that the service, its client and its pages share."""
