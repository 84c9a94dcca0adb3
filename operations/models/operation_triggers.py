"""The transition table and the rules about attempts, said once more by the database."""

import pgtrigger

from operations.protocol.transitions import state_pairs

_PAIRS = ", ".join(f"('{before}', '{after}')" for before, after in sorted(state_pairs()))

OPERATION_TRIGGERS = [
    pgtrigger.Trigger(
        name="state_follows_the_table",
        when=pgtrigger.Before,
        operation=pgtrigger.Update,
        condition=pgtrigger.Condition("OLD.state IS DISTINCT FROM NEW.state"),
        func=f"""
            IF (OLD.state, NEW.state) NOT IN ({_PAIRS}) THEN
                RAISE EXCEPTION 'state may not go from % to %', OLD.state, NEW.state
                    USING ERRCODE = 'check_violation';
            END IF;
            IF NEW.state = 'cancelled' AND EXISTS (
                SELECT 1 FROM operations_attempt WHERE operation_id = NEW.id
            ) THEN
                RAISE EXCEPTION 'an operation with an attempt cannot be cancelled'
                    USING ERRCODE = 'check_violation';
            END IF;
            RETURN NEW;
        """,  # noqa: S608  the pairs come from our own table
    ),
    pgtrigger.Trigger(
        name="counters_only_grow",
        when=pgtrigger.Before,
        operation=pgtrigger.Update,
        func="""
            IF NEW.version < OLD.version
                OR (OLD.state IS DISTINCT FROM NEW.state AND NEW.version = OLD.version) THEN
                RAISE EXCEPTION 'version must grow with every change of state'
                    USING ERRCODE = 'check_violation';
            END IF;
            IF NEW.generation <> OLD.generation AND NOT (
                NEW.generation = OLD.generation + 1
                AND OLD.state = 'sent_unknown' AND NEW.state = 'ready'
            ) THEN
                RAISE EXCEPTION 'only a release opens the next generation'
                    USING ERRCODE = 'check_violation';
            END IF;
            IF OLD.state = 'sent_unknown' AND NEW.state = 'ready'
                AND NEW.generation = OLD.generation THEN
                RAISE EXCEPTION 'nothing goes from sent_unknown to ready but by a release'
                    USING ERRCODE = 'check_violation';
            END IF;
            IF OLD.effect_id <> '' AND NEW.effect_id <> OLD.effect_id THEN
                RAISE EXCEPTION 'the effect that confirmed an operation stays'
                    USING ERRCODE = 'check_violation';
            END IF;
            IF NEW.claim_token < OLD.claim_token OR NEW.review_token < OLD.review_token THEN
                RAISE EXCEPTION 'fencing tokens only grow' USING ERRCODE = 'check_violation';
            END IF;
            RETURN NEW;
        """,
    ),
    pgtrigger.Trigger(
        # Checked at the commit: the mark changes the state first and writes its attempt second.
        name="sent_unknown_has_an_attempt",
        when=pgtrigger.After,
        timing=pgtrigger.Deferred,
        operation=pgtrigger.Update,
        condition=pgtrigger.Condition(
            "OLD.state IS DISTINCT FROM NEW.state AND NEW.state = 'sent_unknown'"
        ),
        func="""
            IF NOT EXISTS (SELECT 1 FROM operations_attempt WHERE operation_id = NEW.id) THEN
                RAISE EXCEPTION 'sent_unknown needs an attempt on record'
                    USING ERRCODE = 'check_violation';
            END IF;
            RETURN NULL;
        """,
    ),
    pgtrigger.Trigger(
        # A proposal rests on what its proposer saw: whatever changes that voids it, on any path.
        name="a_new_version_voids_proposals",
        when=pgtrigger.After,
        operation=pgtrigger.Update,
        condition=pgtrigger.Condition("OLD.version IS DISTINCT FROM NEW.version"),
        func="""
            UPDATE operations_approval
                SET status = 'voided', decided_at = NEW.updated_at
                WHERE operation_id = NEW.id AND subject = 'proposal' AND status = 'open'
                    AND version_seen <> NEW.version;
            RETURN NULL;
        """,
    ),
    pgtrigger.Trigger(
        name="operations_begin_unsent",
        when=pgtrigger.Before,
        operation=pgtrigger.Insert,
        func="""
            IF NEW.state NOT IN ('ready', 'awaiting_approval') OR NEW.generation <> 1 THEN
                RAISE EXCEPTION 'an operation begins ready or awaiting approval, generation 1'
                    USING ERRCODE = 'check_violation';
            END IF;
            IF NEW.payload_digest <> encode(sha256(NEW.payload_canonical), 'hex') THEN
                RAISE EXCEPTION 'payload_digest is not the digest of the payload'
                    USING ERRCODE = 'check_violation';
            END IF;
            IF NEW.request_body IS NOT NULL
                AND NEW.request_digest <> encode(sha256(
                    convert_to(NEW.request_method || ' ' || NEW.request_url || E'\\n', 'UTF8')
                    || NEW.request_body), 'hex') THEN
                RAISE EXCEPTION 'request_digest is not the digest of the request'
                    USING ERRCODE = 'check_violation';
            END IF;
            RETURN NEW;
        """,
    ),
]
