"""What `up --demo` prints: who may sign in, with which password, and to do what."""

from opsconsole.demo.record import DemoRecord

MAY = {
    "operator": "settle unknowns, answer reviews, release, halt",
    "operator2": "the same: many decisions take two people",
    "approver": "say yes or no to requests; agree to an operator's proposal",
    "approver2": "the same: large refunds take two people",
    "auditor": "read everything, the audit trail too",
    "viewer": "look around",
    "admin": "manage people; halt dispatch",
}


def sign_in_table(record: DemoRecord) -> list[str]:
    """The lines of the table."""
    rows = [("sign in as", "password", "and may")]
    rows += [(name, record.passwords[name], may) for name, may in MAY.items()]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    lines = [f"  {row[0]:<{widths[0]}}   {row[1]:<{widths[1]}}   {row[2]}" for row in rows]
    rule = f"  {'─' * widths[0]}   {'─' * widths[1]}   {'─' * max(map(len, MAY.values()))}"
    return [lines[0], rule, *lines[1:]]
