"""The parts of the operation page, one file a part: rows in, what the template shows out."""
