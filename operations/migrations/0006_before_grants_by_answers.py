"""A grant rests on answers; no way back to ready but by a release. Before the deploy."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    """Triggers alone: what the code never does is refused to every statement."""

    dependencies = [
        ("operations", "0005_before_corroboration"),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="approval",
            name="what_is_approved_never_changes",
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="operation",
            name="counters_only_grow",
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="approval",
            trigger=pgtrigger.compiler.Trigger(
                name="what_is_approved_never_changes",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."operation_id" IS DISTINCT FROM (NEW."operation_id") OR OLD."subject" IS DISTINCT FROM (NEW."subject") OR OLD."choice" IS DISTINCT FROM (NEW."choice") OR OLD."proposal" IS DISTINCT FROM (NEW."proposal") OR OLD."round" IS DISTINCT FROM (NEW."round") OR OLD."generation" IS DISTINCT FROM (NEW."generation") OR OLD."version_seen" IS DISTINCT FROM (NEW."version_seen") OR OLD."payload_digest" IS DISTINCT FROM (NEW."payload_digest") OR OLD."request_digest" IS DISTINCT FROM (NEW."request_digest") OR OLD."policy_name" IS DISTINCT FROM (NEW."policy_name") OR OLD."policy" IS DISTINCT FROM (NEW."policy") OR OLD."sentence" IS DISTINCT FROM (NEW."sentence") OR OLD."role" IS DISTINCT FROM (NEW."role") OR OLD."needed" IS DISTINCT FROM (NEW."needed") OR OLD."excluded_ids" IS DISTINCT FROM (NEW."excluded_ids") OR OLD."requested_by_id" IS DISTINCT FROM (NEW."requested_by_id") OR OLD."opened_at" IS DISTINCT FROM (NEW."opened_at") OR OLD."expires_at" IS DISTINCT FROM (NEW."expires_at") OR OLD."yes_lives_seconds" IS DISTINCT FROM (NEW."yes_lives_seconds"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="27613cad2aec0876808de7fbcbb1d86d904dfbc8",
                    operation="UPDATE",
                    pgid="pgtrigger_what_is_approved_never_changes_65511",
                    table="operations_approval",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="approval",
            trigger=pgtrigger.compiler.Trigger(
                name="a_grant_rests_on_answers",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                    IF TG_OP = 'INSERT' THEN\n                        IF NEW.status <> 'open' OR NEW.given <> 0\n                            OR NEW.valid_until IS NOT NULL THEN\n                            RAISE EXCEPTION 'a request begins open and without an answer'\n                                USING ERRCODE = 'check_violation';\n                        END IF;\n                        RETURN NEW;\n                    END IF;\n                    IF NEW.given <> OLD.given AND NEW.given <> (\n                        SELECT count(*) FROM operations_approvaldecision d\n                        WHERE d.approval_id = NEW.id AND d.is_yes\n                    ) THEN\n                        RAISE EXCEPTION 'given counts the answers on record'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    IF NEW.valid_until IS DISTINCT FROM OLD.valid_until AND (\n                        OLD.valid_until IS NOT NULL OR NEW.status <> 'granted'\n                        OR NEW.valid_until\n                            > NEW.decided_at + make_interval(secs => NEW.yes_lives_seconds)\n                    ) THEN\n                        RAISE EXCEPTION 'a yes lives as long as its request says'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="b97f0d53b1fefc6b3be4a4aca8c0dd59f1c416e5",
                    operation="INSERT OR UPDATE",
                    pgid="pgtrigger_a_grant_rests_on_answers_b1859",
                    table="operations_approval",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="operation",
            trigger=pgtrigger.compiler.Trigger(
                name="counters_only_grow",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n            IF NEW.version < OLD.version\n                OR (OLD.state IS DISTINCT FROM NEW.state AND NEW.version = OLD.version) THEN\n                RAISE EXCEPTION 'version must grow with every change of state'\n                    USING ERRCODE = 'check_violation';\n            END IF;\n            IF NEW.generation <> OLD.generation AND NOT (\n                NEW.generation = OLD.generation + 1\n                AND OLD.state = 'sent_unknown' AND NEW.state = 'ready'\n            ) THEN\n                RAISE EXCEPTION 'only a release opens the next generation'\n                    USING ERRCODE = 'check_violation';\n            END IF;\n            IF OLD.state = 'sent_unknown' AND NEW.state = 'ready'\n                AND NEW.generation = OLD.generation THEN\n                RAISE EXCEPTION 'nothing goes from sent_unknown to ready but by a release'\n                    USING ERRCODE = 'check_violation';\n            END IF;\n            IF OLD.effect_id <> '' AND NEW.effect_id <> OLD.effect_id THEN\n                RAISE EXCEPTION 'the effect that confirmed an operation stays'\n                    USING ERRCODE = 'check_violation';\n            END IF;\n            IF NEW.claim_token < OLD.claim_token OR NEW.review_token < OLD.review_token THEN\n                RAISE EXCEPTION 'fencing tokens only grow' USING ERRCODE = 'check_violation';\n            END IF;\n            RETURN NEW;\n        ",
                    hash="1eee69bb6a35fcb6aced28f031b18c74db7c7596",
                    operation="UPDATE",
                    pgid="pgtrigger_counters_only_grow_36f7a",
                    table="operations_operation",
                    when="BEFORE",
                ),
            ),
        ),
    ]
