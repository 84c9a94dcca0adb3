"""How operations came to where they stand: one function a course of events."""
