"""The faults met in the field that this project promises to stand: number, source and fact.

    python -m tests.architecture.cases      writes docs/cases.md anew

The numbers are those of the collection they were taken from; a test names the one that it shows by
beginning its docstring with "Case N:".
"""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "cases.md"
NUMBER = re.compile(r"^Case (\d+): ", re.MULTILINE)
GITHUB = "https://github.com/"


class Case(NamedTuple):
    """A fault that somebody met: where it is told, and what holds here instead."""

    source: str
    fact: str


CASES: dict[int, Case] = {
    1: Case(
        "medusajs/medusa/issues/16681",
        "However often recovery runs, it asks under the first key and sends nothing.",
    ),
    3: Case(
        "tempoxyz/pympp/pull/155",
        "A new credential, process or configuration changes no part of a key.",
    ),
    5: Case(
        "crbnos/carbon/issues/252",
        "When the receiver has forgotten the key, one more send is closed to people too.",
    ),
    6: Case(
        "medusajs/medusa/pull/16390",
        "A definite no is a state of its own; what comes instead has its own key and a link.",
    ),
    8: Case("stripe/stripe-ruby/issues/598", "No call leaves its key behind for the next one."),
    9: Case(
        "josipmusa/idempotency4j/issues/12",
        "A used key with another payload is a conflict on record, never the first one's answer.",
    ),
    10: Case("theam/facility/pull/196", "A dry run is refused and reserves no key."),
    11: Case(
        "readthedocs/readthedocs.org/issues/7727",
        "Twenty who ask at once get one operation, by a constraint of the database.",
    ),
    12: Case(
        "aws-powertools/powertools-lambda-python/issues/638",
        "The order of members does not count, the order of an array does.",
    ),
    14: Case(
        "apache/fineract/pull/5674",
        'true, 1, "1", null and a missing member are five different things.',
    ),
    17: Case(
        "octokit/webhooks.js/issues/71",
        "A webhook's signature is checked over the bytes as they came.",
    ),
    19: Case(
        "magda-io/magda/issues/3161",
        "Text that the database can't hold is refused by its field, with nothing half written.",
    ),
    21: Case(
        "encode/django-rest-framework/issues/5235",
        "NaN, infinities and numbers out of range are refused by their field.",
    ),
    23: Case(
        "https://www.postgresql.org/docs/current/datatype-json.html",
        "What was signed is kept byte for byte, so that it can be verified again at any time.",
    ),
    24: Case(
        "spree/spree/pull/4499",
        "During the call the mark can be read by everybody, and no transaction is open.",
    ),
    26: Case("m3ue/m3u-editor/issues/1337", "The key is won before the call, not after it."),
    28: Case(
        "pathosDev/actor-ts/issues/984",
        "A mistake of ours after the call sets nothing back; the next worker only looks up.",
    ),
    30: Case(
        "nextcloud/mail/issues/13421",
        "Whatever a row holds, a day later it is in exactly one queue that somebody sees.",
    ),
    31: Case(
        "juspay/hyperswitch/issues/9622",
        "What could not be sent says so with the reason, and is never called unknown.",
    ),
    33: Case(
        "Adyen/adyen-prestashop/issues/228",
        '"Received", an error inside a 200 and an empty 202 prove nothing.',
    ),
    35: Case(
        "hexclave/hexclave/pull/1356",
        "An old unknown comes to people once, however often it is swept.",
    ),
    37: Case(
        "killbill/killbill-docs/pull/69",
        "Unknowns are counted, aged and linked on the first page, the oldest first.",
    ),
    38: Case(
        "juspay/hyperswitch/issues/3751",
        "A receipt is found by the operation's own key, and brings the id that a lost reply had.",
    ),
    39: Case(
        "woocommerce/woocommerce-gateway-stripe/issues/2724",
        "An event that comes before the answer confirms; the answer adds a note and nothing else.",
    ),
    40: Case(
        "woocommerce/woocommerce-gateway-stripe/issues/5697",
        "An event of any age that comes again is known, and changes nothing.",
    ),
    42: Case(
        "Adyen/adyen-shopware6/pull/451",
        "A late no is about the operation that it names; its successor is untouched.",
    ),
    44: Case(
        "Devlaner/devlane/issues/332",
        "Two copies at the same moment are one delivery, by a constraint of the database.",
    ),
    46: Case(
        "Coolhand-Labs/coolhand-ruby/issues/86",
        "An old signature is refused; a known event with a fresh one is a no-op.",
    ),
    48: Case(
        "profullstack/coinpayportal/pull/151",
        "One effect confirms one operation, whoever brings it and however many do at once.",
    ),
    49: Case(
        "juanarrietabusiness-pixel/tommalopty/issues/7",
        "Another amount, currency or article is a mismatch that shows both values.",
    ),
    51: Case(
        "202-ecommerce/stripe_official/issues/79",
        "An event of an unknown key is kept and answered with 200; it never confirms by itself.",
    ),
    52: Case(
        "solana-foundation/pay/issues/456",
        '"Not found" within the lag settles nothing; beyond it a person is asked. No send follows.',
    ),
    54: Case(
        "silverstripe-archive/silverstripe-payment/issues/20",
        "A lookup that failed says nothing: the state stays, the pause grows, a 429 is heard.",
    ),
    56: Case(
        "alphagov/pay-toolbox/pull/158",
        "A list is searched to its end; a search that a limit cut off says so, and is no answer.",
    ),
    58: Case(
        "aegra/aegra/pull/547",
        "A claim is known by its token, not by the name of the worker that took it.",
    ),
    60: Case(
        "camunda/camunda/pull/57335",
        "A missing or foreign token is refused on every path, and each try is on record.",
    ),
    62: Case(
        "gchq/stroom/pull/5772",
        "A worker that is cut off from the database for longer than its lease sends nothing.",
    ),
    64: Case(
        "dbos-inc/dbos-transact-py/issues/804",
        "A rolling restart leaves no claim in the hands of a dead worker.",
    ),
    65: Case(
        "celery/celery/issues/2599",
        "A broker that delivers a message again and again causes one send.",
    ),
    67: Case(
        "celery/celery/issues/3541",
        "Killed at any point, a worker's operations are found by the sweep, with no message left.",
    ),
    68: Case(
        "freelabz/secator/pull/1284",
        "A request that kills its workers goes to a person after three claims.",
    ),
    69: Case(
        "celery/celery/issues/3802",
        "A worker that is told to stop ends its call; after the restart nothing is sent again.",
    ),
    71: Case(
        "celery/django-celery-beat/issues/558", "Two schedulers cause one send and one entry."
    ),
    72: Case(
        "getsentry/sentry/pull/89284",
        "A hint leaves after the commit; what is rolled back is never heard of.",
    ),
    76: Case(
        "digitalocean/netbox-ip-controller/pull/14",
        "After a reset, a 503 or a redirect there is no second request.",
    ),
    77: Case(
        "langchain-ai/langgraph/issues/4397",
        "A node that runs again observes the same operation; without a key it is refused.",
    ),
    118: Case(
        "goauthentik/authentik/issues/23876",
        "Everything works through a transaction pooler, and a killed worker blocks nobody.",
    ),
    120: Case(
        "sagemathinc/cocalc/issues/1718",
        "A notice of a change carries an id, however large the operation is.",
    ),
    121: Case(
        "OCA/queue/pull/859",
        "Time between the look and the claim lets nobody in: the claim is one conditional UPDATE.",
    ),
    123: Case(
        "AI4Bharat/Anudesh-Backend/pull/330",
        "Thirty slow calls hold neither a transaction nor a connection.",
    ),
    125: Case(
        "dotCMS/core/issues/36508",
        "A byte-order mark changes nothing; a column that is not declared stops a statement.",
    ),
    126: Case(
        "actualbudget/actual/issues/2143",
        "Numbers are read as declared and never guessed; a wrong one confirms nothing.",
    ),
    128: Case(
        "firefly-iii/firefly-iii/issues/1208",
        "Two equal lines are two, however often they are imported; one alone is an operation's.",
    ),
    129: Case(
        "bank2ynab/bank2ynab/issues/12",
        "Letters and line breaks of a statement are kept; what can't be decoded imports nothing.",
    ),
    131: Case(
        "juspay/hyperswitch/pull/11491",
        "An amount that is none in its currency is refused at intake, and nobody is asked for it.",
    ),
}


def shown_by(files: dict[str, str]) -> dict[int, list[str]]:
    """The tests of each case, as file::name, from their docstrings; `files` is text by path."""
    found: dict[int, list[str]] = defaultdict(list)
    for path, text in sorted(files.items()):
        for name, words in _tests(text):
            for number in NUMBER.findall(words):
                found[int(number)].append(f"{path}::{name}")
    return dict(found)


def _tests(text: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name, ast.get_docstring(node) or ""


def files_of_tests() -> dict[str, str]:
    """Every file of tests, by its path in the project."""
    paths = (ROOT / "tests").rglob("test_*.py")
    return {path.relative_to(ROOT).as_posix(): path.read_text() for path in paths}


def page() -> str:
    """docs/cases.md as it has to be."""
    shown = shown_by(files_of_tests())
    lines = [
        "# Cases from the field",
        "",
        "Faults that people who run such systems have met, and what holds here instead. Each is a",
        "test against real processes and a real PostgreSQL. The number leads to the public report.",
        "",
        "| case | what holds | shown by |",
        "|---|---|---|",
    ]
    for number, case in CASES.items():
        tests = "<br>".join(_link(each) for each in shown.get(number, []))
        url = case.source if case.source.startswith("https://") else GITHUB + case.source
        lines.append(f"| [{number}]({url}) | {case.fact} | {tests} |")
    return "\n".join([*lines, ""])


def _link(test: str) -> str:
    path, name = test.split("::")
    return f"[{name.removeprefix('test_').replace('_', ' ')}](../{path})"


if __name__ == "__main__":
    PAGE.write_text(page())
