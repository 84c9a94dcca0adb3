"""How an unknown becomes known: each verb that changes rows."""
