"""A result is of a drill in its run's plan, and comes before its end. Before the deploy."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("reconciliation", "0003_before_drill_ends"),
    ]

    operations = [
        pgtrigger.migrations.AddTrigger(
            model_name="drillend",
            trigger=pgtrigger.compiler.Trigger(
                name="an_end_waits_for_results",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                    PERFORM pg_advisory_xact_lock(hashtextextended('drills', 16));\n                    RETURN NEW;\n                ",
                    hash="d83f1c5ee7a8661bf15ae2b6564076ea73caaa91",
                    operation="INSERT",
                    pgid="pgtrigger_an_end_waits_for_results_6624b",
                    table="reconciliation_drillend",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="drillresult",
            trigger=pgtrigger.compiler.Trigger(
                name="a_result_is_of_a_run_that_goes_on",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                    PERFORM pg_advisory_xact_lock(hashtextextended('drills', 16));\n                    IF NOT EXISTS (\n                        SELECT 1 FROM reconciliation_drillrun r WHERE r.id = NEW.run_id\n                        AND NEW.name = ANY(r.planned)\n                        AND NOT EXISTS (\n                            SELECT 1 FROM reconciliation_drillend e WHERE e.run_id = r.id)\n                    ) THEN\n                        RAISE EXCEPTION 'a result needs its drill in the plan of a run that goes on'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="eda943c044835f6e8562b81beec69dc125c415a2",
                    operation="INSERT",
                    pgid="pgtrigger_a_result_is_of_a_run_that_goes_on_4968b",
                    table="reconciliation_drillresult",
                    when="BEFORE",
                ),
            ),
        ),
    ]
