"""A receiver's own export, read row by row as its profile declares; nothing in it is guessed."""
