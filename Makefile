# Every target makes the environment first; that takes no time once it is made.

PYTHON := .venv/bin/python
# When make itself is killed the console stops too, instead of holding its port for ever.
FOLLOW := $(shell command -v setpriv >/dev/null && echo setpriv --pdeathsig=TERM --)

.PHONY: demo run test campaigns bench mutants lint environment

demo: environment
	@$(FOLLOW) $(PYTHON) manage.py up --demo

run: environment
	@$(FOLLOW) $(PYTHON) manage.py up

test: environment
	@$(PYTHON) -m tests.chromium
	$(PYTHON) -m pytest $(ARGS)

# ONLY="model windows" runs these alone; SEED=… repeats a run; BUDGET=90s, 10m or 2h.
# MAY_SKIP="disk-full fsync-errors": these need not be possible here, as for want of root.
BUDGET := 10m
ASKED = $(if $(SEED),--seed $(SEED)) $(addprefix --may-skip ,$(MAY_SKIP))
campaigns: environment
	$(PYTHON) -m tests.campaigns $(strip $(ONLY) $(ASKED)) --budget $(BUDGET)

bench: environment
	$(PYTHON) -m opsconsole.bench $(ARGS)

mutants: environment
	$(PYTHON) -m tests.mutants $(MODULE) --budget $(BUDGET)

lint: environment
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m ruff check .
	$(PYTHON) -m mypy
	.venv/bin/lint-imports
	$(PYTHON) manage.py makemigrations --check --dry-run
	SERVED_OVER_HTTPS=1 ALLOWED_HOSTS=console.example.com MAIL_HOST=mail.example.com \
		$(PYTHON) manage.py check --deploy --fail-level WARNING

environment:
	@.ci/environment
