"""PostgreSQL, the broker and the disk taken away under load, from a whole console in processes."""
