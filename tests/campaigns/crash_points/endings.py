"""How the operations of one subject ended, in words that two runs of a flow have in common."""

from collections.abc import Sequence

from django.db import connection

from tests.campaigns.harness.flows import Subject
from tests.campaigns.harness.ledger import Ledger

# No ids, instants, tokens or versions: those differ. How often a thing was asked or looked up may
# differ too, after a crash; what is known, decided and open may not.
_ENDINGS = """
    SELECT o.key, concat_ws(' ', o.state, o.cause, o.grade, 'generation', o.generation,
        CASE WHEN o.is_reversed THEN 'reversed' END,
        CASE WHEN o.effect_id <> '' THEN 'with effect' END,
        'attempts:', (SELECT string_agg(concat_ws('=', a.generation, e.outcome, (
                SELECT nullif(count(*), 0) FROM operations_sendergone g WHERE g.attempt_id = a.id)),
                ',' ORDER BY a.generation)
            FROM operations_attempt a LEFT JOIN operations_attemptend e
                ON e.attempt_id = a.id AND NOT e.is_stale
            WHERE a.operation_id = o.id),
        'receipts:', (SELECT string_agg(told, ',' ORDER BY told) FROM (
            SELECT DISTINCT concat_ws('/', r.channel, r.status, r.verdict,
                CASE WHEN r.is_stale THEN 'stale' END,
                CASE WHEN r.needs_explanation THEN coalesce(x.finding, 'unexplained') END) AS told
            FROM operations_receipt r LEFT JOIN operations_explanation x ON x.receipt_id = r.id
            -- A copy of what confirmed it, told once more, is kept and changes nothing.
            WHERE r.operation_id = o.id AND r.verdict <> 'already_confirmed') kept),
        'reviews:', (SELECT string_agg(told, ',' ORDER BY told) FROM (
            SELECT concat_ws('=', v.question, CASE WHEN v.closed_at IS NULL THEN 'open'
                ELSE v.finding END) AS told FROM operations_review v
            WHERE v.operation_id = o.id) asked),
        'approvals:', (SELECT string_agg(told, ',' ORDER BY told) FROM (
            SELECT concat_ws('/', p.subject, p.choice, p.round, p.status, p.given, p.needed)
                AS told FROM operations_approval p WHERE p.operation_id = o.id) asked),
        'notes:', (SELECT nullif(count(*), 0) FROM operations_note n WHERE n.operation_id = o.id),
        CASE WHEN o.review_expires_at > clock_timestamp() THEN 'case held' END,
        CASE WHEN EXISTS (SELECT 1 FROM operations_claim c WHERE c.operation_id = o.id
            AND c.slot = 'machine' AND c.ended_at IS NULL) THEN 'claimed' END)
    FROM operations_operation o WHERE left(o.key, %(length)s) = ANY(%(keys)s)
    ORDER BY o.key
"""
_UNMATCHED = """
    SELECT operation_key, 'unmatched ' || verdict FROM operations_receipt
    WHERE operation_id IS NULL AND operation_key = ANY(%(keys)s)
    UNION ALL
    SELECT right(webhook_id, %(length)s), 'delivered ' || outcome
    FROM reconciliation_webhookdelivery WHERE right(webhook_id, %(length)s) = ANY(%(keys)s)
    ORDER BY 2
"""
# What may be asked of a person, by the question.
_SHORT = """
    SELECT o.key, o.state, array(SELECT v.question FROM operations_review v
        WHERE v.operation_id = o.id AND v.closed_at IS NULL ORDER BY v.question)
    FROM operations_operation o WHERE o.key = ANY(%(keys)s)
"""


def endings(subjects: Sequence[Subject]) -> dict[str, str]:
    """For each subject's key, all its operations as they stand, one line each."""
    found: dict[str, list[str]] = {subject.key: [] for subject in subjects}
    for subject in subjects:
        if subject.seen is not None:
            found[subject.key].append(subject.seen)
    # Keys of one flow are equally long: a word, a blank, and 32 digits.
    for length in {len(key) for key in found}:
        values = {"keys": [key for key in found if len(key) == length], "length": length}
        with connection.cursor() as cursor:
            for query in (_ENDINGS, _UNMATCHED):
                cursor.execute(query, values)
                for key, told in cursor.fetchall():
                    found[key[:length]].append(f"{key[length:] or 'it'}: {told}")
    return {key: "\n".join(lines) for key, lines in found.items()}


def short_endings(subjects: Sequence[Subject], ledger: Ledger) -> dict[str, str]:
    """State, requests, effects and what a person is asked, such as "confirmed, 1 request, …"."""
    with connection.cursor() as cursor:
        cursor.execute(_SHORT, {"keys": [subject.key for subject in subjects]})
        rows = cursor.fetchall()
    return {key: ", ".join([state, *_counts(key, ledger), *asked]) for key, state, asked in rows}


def _counts(key: str, ledger: Ledger) -> list[str]:
    place = ("production", key)
    counts = (ledger.requests.get(place, 0), ledger.effects.get(place, 0))
    return [
        f"{count} {word}" + ("" if count == 1 else "s")
        for count, word in zip(counts, ("request", "effect"), strict=True)
    ]
