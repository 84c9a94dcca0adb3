"""Statements: files of rows, passes over them, and who agreed to apply one. Before the deploy."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

import reconciliation.protocol.statements.outcomes
import reconciliation.protocol.statements.passes


class Migration(migrations.Migration):
    dependencies = [
        ("operations", "0003_before_roles"),
        ("reconciliation", "0007_before_certifications"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Statement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("environment", models.TextField()),
                ("receiver", models.TextField()),
                ("profile", models.TextField()),
                ("road", models.TextField(choices=[("machine", "machine"), ("person", "person")])),
                ("file_name", models.TextField()),
                ("digest", models.CharField(max_length=64)),
                ("size_bytes", models.PositiveBigIntegerField()),
                ("started_by", models.TextField(blank=True, default="")),
                ("at", models.DateTimeField()),
                (
                    "uploaded_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="StatementChunk",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "statement_id",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("body", models.BinaryField()),
                (
                    "statement",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="reconciliation.statement",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="StatementRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "purpose",
                    models.TextField(choices=[("rehearse", "rehearse"), ("apply", "apply")]),
                ),
                ("environment", models.TextField()),
                ("receiver", models.TextField()),
                ("digest", models.CharField(max_length=64)),
                ("form", models.CharField(max_length=64)),
                ("opened_at", models.DateTimeField()),
                (
                    "status",
                    models.TextField(
                        choices=[
                            ("waiting", "waiting"),
                            ("running", "running"),
                            ("done", "done"),
                            ("failed", "failed"),
                        ],
                        default=reconciliation.protocol.statements.passes.RunStatus["WAITING"],
                    ),
                ),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("offset", models.PositiveBigIntegerField(default=0)),
                ("row_count", models.PositiveBigIntegerField(default=0)),
                ("line", models.PositiveBigIntegerField(default=0)),
                ("counts", models.JSONField(default=dict)),
                ("fault", models.JSONField(null=True)),
                ("token", models.PositiveBigIntegerField(default=0)),
                ("holder", models.TextField(blank=True, default="")),
                ("lease_until", models.DateTimeField(null=True)),
                (
                    "rehearsal",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="reconciliation.statementrun",
                    ),
                ),
                (
                    "statement",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="runs",
                        to="reconciliation.statement",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="StatementRow",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "run_id",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("number", models.PositiveBigIntegerField()),
                ("line", models.PositiveBigIntegerField()),
                (
                    "outcome",
                    models.TextField(
                        choices=[
                            ("confirms", "confirms"),
                            ("refuses", "refuses"),
                            ("corroborates", "corroborates"),
                            ("already", "already"),
                            ("known", "known"),
                            ("mismatch", "mismatch"),
                            ("late", "late"),
                            ("not_proof", "not_proof"),
                            ("kept", "kept"),
                            ("unmatched", "unmatched"),
                            ("repeated", "repeated"),
                            ("unreadable", "unreadable"),
                            ("left", "left"),
                        ]
                    ),
                ),
                ("key", models.TextField(blank=True)),
                ("effect_id", models.TextField(blank=True)),
                ("fingerprint", models.UUIDField(null=True)),
                ("occurrence", models.PositiveIntegerField(default=0)),
                ("version_seen", models.PositiveBigIntegerField(null=True)),
                ("detail", models.JSONField(null=True)),
                (
                    "operation",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="operations.operation",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="reconciliation.statementrun",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="StatementProposal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("proposed_at", models.DateTimeField()),
                ("expires_at", models.DateTimeField()),
                ("reason", models.TextField()),
                ("needs_second", models.BooleanField()),
                (
                    "status",
                    models.TextField(
                        choices=[
                            ("open", "open"),
                            ("granted", "granted"),
                            ("rejected", "rejected"),
                            ("expired", "expired"),
                        ],
                        default=reconciliation.protocol.statements.passes.ProposalStatus["OPEN"],
                    ),
                ),
                ("answered_at", models.DateTimeField(null=True)),
                ("answer_reason", models.TextField(blank=True, default="")),
                (
                    "answered_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "proposed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "statement",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="proposals",
                        to="reconciliation.statement",
                    ),
                ),
                (
                    "uploaded_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "rehearsal",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="reconciliation.statementrun",
                    ),
                ),
                (
                    "run",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="proposal",
                        to="reconciliation.statementrun",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="AppliedRow",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "run_id",
                        "number",
                        blank=True,
                        editable=False,
                        primary_key=True,
                        serialize=False,
                    ),
                ),
                ("number", models.PositiveBigIntegerField()),
                (
                    "outcome",
                    models.TextField(
                        choices=[
                            ("confirms", "confirms"),
                            ("refuses", "refuses"),
                            ("corroborates", "corroborates"),
                            ("already", "already"),
                            ("known", "known"),
                            ("mismatch", "mismatch"),
                            ("late", "late"),
                            ("not_proof", "not_proof"),
                            ("kept", "kept"),
                            ("unmatched", "unmatched"),
                            ("repeated", "repeated"),
                            ("unreadable", "unreadable"),
                            ("left", "left"),
                        ]
                    ),
                ),
                ("detail", models.TextField(blank=True)),
                (
                    "receipt",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="operations.receipt",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="reconciliation.statementrun",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="statement",
            index=models.Index(fields=["-at", "-id"], name="statements_newest_first"),
        ),
        migrations.AddConstraint(
            model_name="statement",
            constraint=models.CheckConstraint(
                condition=models.Q(("road__in", ["machine", "person"])),
                name="statement_road_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="statement",
            constraint=models.UniqueConstraint(
                fields=("environment", "receiver", "profile", "road", "digest"),
                name="one_statement_per_file",
            ),
        ),
        migrations.AddConstraint(
            model_name="statement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("road", reconciliation.protocol.statements.outcomes.Road["PERSON"]),
                        ("started_by", ""),
                        ("uploaded_by__isnull", False),
                    ),
                    models.Q(
                        ("road", reconciliation.protocol.statements.outcomes.Road["MACHINE"]),
                        ("uploaded_by", None),
                        models.Q(("started_by", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="a_statement_says_who_brought_it",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="statement",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="8d66bb81ac0e722d5a9e827a49fe2d6a55d2a446",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_009f3",
                    table="reconciliation_statement",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="statementchunk",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="8ce76f6907d87118c68976d07000d1257ba627d3",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_0707b",
                    table="reconciliation_statementchunk",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="statementrun",
            index=models.Index(
                condition=models.Q(
                    (
                        "status__in",
                        [
                            reconciliation.protocol.statements.passes.RunStatus["WAITING"],
                            reconciliation.protocol.statements.passes.RunStatus["RUNNING"],
                        ],
                    )
                ),
                fields=["opened_at"],
                name="statement_runs_going_on",
            ),
        ),
        migrations.AddConstraint(
            model_name="statementrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("purpose__in", ["rehearse", "apply"])),
                name="statementrun_purpose_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="statementrun",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["waiting", "running", "done", "failed"])),
                name="statementrun_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="statementrun",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("purpose", reconciliation.protocol.statements.passes.Purpose["APPLY"])
                ),
                fields=("environment", "receiver", "digest"),
                name="a_file_is_applied_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="statementrun",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("purpose", reconciliation.protocol.statements.passes.Purpose["APPLY"]),
                    ("status", reconciliation.protocol.statements.passes.RunStatus["RUNNING"]),
                ),
                fields=("environment", "receiver"),
                name="one_statement_at_a_time_is_applied",
            ),
        ),
        migrations.AddConstraint(
            model_name="statementrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("purpose", reconciliation.protocol.statements.passes.Purpose["APPLY"]),
                        ("rehearsal__isnull", False),
                    ),
                    models.Q(
                        ("purpose", reconciliation.protocol.statements.passes.Purpose["REHEARSE"]),
                        ("rehearsal", None),
                    ),
                    _connector="OR",
                ),
                name="what_is_applied_was_rehearsed",
            ),
        ),
        migrations.AddConstraint(
            model_name="statementrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("finished_at__isnull", False),
                        (
                            "status__in",
                            [
                                reconciliation.protocol.statements.passes.RunStatus["DONE"],
                                reconciliation.protocol.statements.passes.RunStatus["FAILED"],
                            ],
                        ),
                    ),
                    models.Q(
                        ("finished_at", None),
                        (
                            "status__in",
                            [
                                reconciliation.protocol.statements.passes.RunStatus["WAITING"],
                                reconciliation.protocol.statements.passes.RunStatus["RUNNING"],
                            ],
                        ),
                    ),
                    _connector="OR",
                ),
                name="a_run_that_is_over_says_when",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="statementrun",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_rows",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                    hash="f1acf13060ef7846b1aa9c938a9d3244c9afaef7",
                    operation="DELETE",
                    pgid="pgtrigger_keep_rows_7a4c5",
                    table="reconciliation_statementrun",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="statementrun",
            trigger=pgtrigger.compiler.Trigger(
                name="a_run_that_is_over_stays",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.\"status\" IN ('done', 'failed'))",
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="9622d73d49375a5c70305451af7846b586275daa",
                    operation="UPDATE",
                    pgid="pgtrigger_a_run_that_is_over_stays_9e42c",
                    table="reconciliation_statementrun",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="statementrun",
            trigger=pgtrigger.compiler.Trigger(
                name="a_run_only_goes_on",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n                    IF NEW.token < OLD.token OR NEW.\"offset\" < OLD.\"offset\"\n                        OR NEW.row_count < OLD.row_count THEN\n                        RAISE EXCEPTION 'a pass over a statement goes on, and never back'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="538aeeaff02c81cc40c1728a5c310b4e66757ef0",
                    operation="UPDATE",
                    pgid="pgtrigger_a_run_only_goes_on_ed73d",
                    table="reconciliation_statementrun",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="statementrow",
            index=models.Index(fields=["run", "fingerprint"], name="equal_rows_of_a_statement"),
        ),
        migrations.AddIndex(
            model_name="statementrow",
            index=models.Index(
                condition=models.Q(
                    (
                        "outcome__in",
                        [
                            reconciliation.protocol.statements.outcomes.Outcome["ALREADY"],
                            reconciliation.protocol.statements.outcomes.Outcome["KNOWN"],
                        ],
                    ),
                    _negated=True,
                ),
                fields=["run", "outcome", "number"],
                name="statement_rows_to_look_at",
            ),
        ),
        migrations.AddIndex(
            model_name="statementrow",
            index=models.Index(
                condition=models.Q(
                    (
                        "outcome__in",
                        [
                            reconciliation.protocol.statements.outcomes.Outcome["CONFIRMS"],
                            reconciliation.protocol.statements.outcomes.Outcome["REFUSES"],
                        ],
                    )
                ),
                fields=["run", "operation"],
                name="operations_that_rows_settle",
            ),
        ),
        migrations.AddIndex(
            model_name="statementrow",
            index=models.Index(
                condition=models.Q(
                    (
                        "outcome__in",
                        [
                            reconciliation.protocol.statements.outcomes.Outcome["CONFIRMS"],
                            reconciliation.protocol.statements.outcomes.Outcome["REFUSES"],
                        ],
                    )
                ),
                fields=["run", "effect_id"],
                name="effects_that_rows_settle_by",
            ),
        ),
        migrations.AddConstraint(
            model_name="statementrow",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "outcome__in",
                        [
                            "confirms",
                            "refuses",
                            "corroborates",
                            "already",
                            "known",
                            "mismatch",
                            "late",
                            "not_proof",
                            "kept",
                            "unmatched",
                            "repeated",
                            "unreadable",
                            "left",
                        ],
                    )
                ),
                name="statementrow_outcome_is_known",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="statementrow",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="8d23df9eab5e36e517c1574059539f138ee5602f",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_50f39",
                    table="reconciliation_statementrow",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="statementproposal",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["open", "granted", "rejected", "expired"])),
                name="statementproposal_status_is_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="statementproposal",
            constraint=models.UniqueConstraint(
                condition=models.Q(
                    ("status", reconciliation.protocol.statements.passes.ProposalStatus["OPEN"])
                ),
                fields=("statement",),
                name="one_open_proposal_per_statement",
            ),
        ),
        migrations.AddConstraint(
            model_name="statementproposal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("answered_by", None),
                    models.Q(
                        models.Q(("answered_by", models.F("proposed_by")), _negated=True),
                        models.Q(("answered_by", models.F("uploaded_by")), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="another_person_answers_for_a_statement",
            ),
        ),
        migrations.AddConstraint(
            model_name="statementproposal",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("run", None),
                        models.Q(
                            (
                                "status",
                                reconciliation.protocol.statements.passes.ProposalStatus["GRANTED"],
                            ),
                            _negated=True,
                        ),
                    ),
                    models.Q(
                        ("run__isnull", False),
                        (
                            "status",
                            reconciliation.protocol.statements.passes.ProposalStatus["GRANTED"],
                        ),
                        models.Q(
                            ("needs_second", False), ("answered_by__isnull", False), _connector="OR"
                        ),
                    ),
                    _connector="OR",
                ),
                name="a_statement_is_applied_on_a_yes",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="statementproposal",
            trigger=pgtrigger.compiler.Trigger(
                name="keep_rows",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                    hash="1efb2d3a8328eb9e281927caee6c7125031cd3ea",
                    operation="DELETE",
                    pgid="pgtrigger_keep_rows_3f080",
                    table="reconciliation_statementproposal",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="statementproposal",
            trigger=pgtrigger.compiler.Trigger(
                name="an_answered_proposal_stays",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (NOT (OLD.\"status\" = 'open'))",
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="cb8ef80f974c33e50772731f6c7ba24f7908f588",
                    operation="UPDATE",
                    pgid="pgtrigger_an_answered_proposal_stays_81ed5",
                    table="reconciliation_statementproposal",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="statementproposal",
            trigger=pgtrigger.compiler.Trigger(
                name="a_proposal_lives_its_time",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (NEW.status = 'granted' AND NEW.needs_second)",
                    func="\n                    IF NEW.answered_at IS NULL OR NEW.answered_at >= NEW.expires_at\n                        OR NEW.answered_at > clock_timestamp() THEN\n                        RAISE EXCEPTION 'a proposal takes an answer within its time'\n                            USING ERRCODE = 'check_violation';\n                    END IF;\n                    RETURN NEW;\n                ",
                    hash="00adbaefd85a186beb7f1ec4102a3fd37d7de059",
                    operation="UPDATE",
                    pgid="pgtrigger_a_proposal_lives_its_time_a2d1a",
                    table="reconciliation_statementproposal",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddIndex(
            model_name="appliedrow",
            index=models.Index(fields=["run", "outcome", "number"], name="applied_rows_by_outcome"),
        ),
        migrations.AddConstraint(
            model_name="appliedrow",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    (
                        "outcome__in",
                        [
                            "confirms",
                            "refuses",
                            "corroborates",
                            "already",
                            "known",
                            "mismatch",
                            "late",
                            "not_proof",
                            "kept",
                            "unmatched",
                            "repeated",
                            "unreadable",
                            "left",
                        ],
                    )
                ),
                name="appliedrow_outcome_is_known",
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="appliedrow",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="bfad91335794b17241cdc10e94b30e1d9b2e35a5",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_f7a1a",
                    table="reconciliation_appliedrow",
                    when="BEFORE",
                ),
            ),
        ),
    ]
