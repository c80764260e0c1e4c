"""What the service holds while much else goes on."""
