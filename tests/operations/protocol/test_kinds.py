from dataclasses import replace

import pytest

from operations.protocol.currencies import current_currencies, minor_units
from operations.protocol.json_schema import schema_mistakes
from operations.protocol.kinds import (
    Kind,
    money,
    template_pointers,
    title,
    too_fine_amount,
    validate_payload,
)
from operations.protocol.payloads import Money, Number, parse_json

REFUND = Kind(
    name="payment.refund",
    title="Refund",
    schema={
        "type": "object",
        "additionalProperties": False,
        "required": ["order", "amount", "currency"],
        "properties": {
            "order": {"type": "string", "minLength": 1},
            "amount": {"type": ["string", "number"]},
            "currency": {"type": "string"},
            "copies": {"type": "integer", "minimum": 1, "maximum": 9},
            "weight": {"type": "number", "multipleOf": 0.1},
            "level": {"enum": [1, "high"]},
        },
    },
    amount_pointer="/amount",
    currency_pointer="/currency",
    title_template="Refund {amount} {currency} for {/order}",
)


def refund(**members: str) -> object:
    texts = {"order": '"A-17"', "amount": '"12.50"', "currency": '"EUR"', **members}
    return parse_json("{" + ",".join(f'"{name}":{text}' for name, text in texts.items()) + "}")


def test_a_good_payload_has_no_mistake() -> None:
    assert validate_payload(REFUND, refund(copies="1.0", weight="0.3", level="1.0")) == []


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        ('"-5.00"', "more than 0 and less than 1000000000000000"),
        ('"0"', "more than 0 and less than 1000000000000000"),
        ('"0.001"', "at most 2 decimals in EUR"),
        ('"1e-9"', 'a decimal such as "12.50"'),
        ("1e-9", "at most 2 decimals in EUR"),
        ('"1000000000000000"', "more than 0 and less than 1000000000000000"),
        ('"99999999999999999999"', "more than 0 and less than 1000000000000000"),
        ('"100.000"', "at most 2 decimals in EUR"),
        ('"1,000.00"', 'a decimal such as "12.50"'),
        ('"+5"', 'a decimal such as "12.50"'),
        ('"٣"', 'a decimal such as "12.50"'),
    ],
)
def test_an_amount_that_no_one_can_pay_is_refused(amount: str, expected: str) -> None:
    assert validate_payload(REFUND, refund(amount=amount)) == [("/amount", expected, amount)]


@pytest.mark.parametrize("amount", ['"0.01"', '"12"', "12.5", "1e2", '"999999999999999.99"'])
def test_an_amount_may_be_text_or_number(amount: str) -> None:
    assert validate_payload(REFUND, refund(amount=amount)) == []


@pytest.mark.parametrize(
    ("currency", "amount", "is_fine"),
    [
        ("JPY", "100", True),
        ("JPY", "100.5", False),
        ("HUF", "100.50", True),
        ("KWD", "1.234", True),
        ("KWD", "1.2345", False),
        ("CLF", "1.2345", True),
    ],
)
def test_the_decimals_are_those_of_iso_4217(*, currency: str, amount: str, is_fine: bool) -> None:
    payload = refund(currency=f'"{currency}"', amount=f'"{amount}"')
    assert (validate_payload(REFUND, payload) == []) is is_fine


@pytest.mark.parametrize("currency", ['"EURO"', '"eur"', '"DEM"', '"XXX"', '"XAU"', '""'])
def test_a_currency_is_one_in_use_today(currency: str) -> None:
    assert validate_payload(REFUND, refund(currency=currency)) == [
        ("/currency", "an ISO 4217 code such as EUR", currency)
    ]


def test_a_currency_of_another_type_is_a_mistake_and_no_crash() -> None:
    pointers = {found.pointer for found in validate_payload(REFUND, refund(currency="[1]"))}
    assert pointers == {"/currency"}


@pytest.mark.parametrize(
    ("members", "mistake"),
    [
        ({"copies": "true"}, ("/copies", "type integer", "true")),
        ({"copies": "1.5"}, ("/copies", "type integer", "1.5")),
        ({"copies": "0"}, ("/copies", "at least 1", "0")),
        ({"copies": "1e1"}, ("/copies", "at most 9", "1e1")),
        ({"weight": "0.35"}, ("/weight", "a multiple of 0.1", "0.35")),
        ({"level": "true"}, ("/level", 'one of [1,"high"]', "true")),
        ({"order": '""'}, ("/order", "at least 1 characters", '""')),
        ({"order": "17"}, ("/order", "type string", "17")),
        ({"dry_run": "true"}, ("/dry_run", "no such member", "true")),
    ],
)
def test_a_mistake_names_pointer_expected_and_got(
    members: dict[str, str], mistake: tuple[str, str, str]
) -> None:
    assert validate_payload(REFUND, refund(**members)) == [mistake]


def test_each_missing_member_is_named_once() -> None:
    assert validate_payload(REFUND, {}) == [
        ("/order", "a value", "missing"),
        ("/amount", "a value", "missing"),
        ("/currency", "a value", "missing"),
    ]


def test_money_is_exact_and_knows_its_place() -> None:
    assert money(REFUND, refund()) == Money(Number("12.50"), "EUR", "/amount")
    assert money(REFUND, {"amount": "12.50"}) is None
    assert money(REFUND, refund(amount='"much"')) is None
    assert money(replace(REFUND, amount_pointer=None), refund()) is None
    assert money(replace(REFUND, currency_pointer=None), refund()) is None
    assert Money(Number("1"), "EUR").pointer == "", "of no payload"


@pytest.mark.parametrize("changes", [{"amount_pointer": None}, {"currency_pointer": None}])
def test_a_kind_that_names_no_amount_judges_none(changes: dict[str, None]) -> None:
    payload = refund(amount='"much"', currency='"EURO"')
    assert validate_payload(replace(REFUND, **changes), payload) == []


@pytest.mark.parametrize(
    ("size", "shown"), [(58, f'"{"x" * 58}"'), (59, f'"{"x" * 59}… (1 more characters)')]
)
@pytest.mark.parametrize("name", ["amount", "currency"])
def test_what_was_got_is_shown_in_60_characters(name: str, size: int, shown: str) -> None:
    [mistake] = validate_payload(REFUND, refund(**{name: f'"{"x" * size}"'}))
    assert mistake.got == shown


def test_an_amount_without_its_currency_is_a_mistake() -> None:
    schema = {**REFUND.schema, "required": []}
    mistakes = validate_payload(replace(REFUND, schema=schema), {"amount": "12.50"})
    assert mistakes == [("/amount", "a currency beside the amount", '"12.50"')]


def test_a_title_is_one_printable_line() -> None:
    assert title(REFUND, refund()) == "Refund 12.50 EUR for A-17"
    payload = refund(order='"A\\n\\u202e17"', amount="12.50")
    assert title(REFUND, payload) == "Refund 12.50 EUR for A 17"
    assert title(REFUND, {}) == "Refund (missing) (missing) for (missing)"
    for size, shown in ((60, "x" * 60), (61, f"{'x' * 60}… (1 more characters)")):
        found = title(REFUND, refund(order=f'"{"x" * size}"'))
        assert found == f"Refund 12.50 EUR for {shown}"
    assert template_pointers(REFUND.title_template) == ["/amount", "/currency", "/order"]


def test_a_title_has_160_characters_at_most() -> None:
    long = replace(REFUND, title_template="y" * 160)
    assert title(long, refund()) == "y" * 160
    longer = replace(REFUND, title_template="y" * 161)
    assert title(longer, refund()) == f"{'y' * 160}… (1 more characters)"


def test_without_a_template_the_kinds_own_title_is_shown() -> None:
    plain = Kind(name="payment.refund", title="Refund", schema={})
    assert title(plain, refund()) == "Refund"


@pytest.mark.parametrize(
    ("schema", "pointer"),
    [
        ({"type": "objekt"}, "/type"),
        ({"properties": {"a": {"minimum": "1"}}}, "/properties/a/minimum"),
        ({"properties": {"a": {"format": "phone"}}}, "/properties/a/format"),
        ({"allOf": [{"$ref": "https://example.org/s"}]}, "/allOf/0/$ref"),
    ],
)
def test_a_schema_that_can_not_be_used_is_told(schema: object, pointer: str) -> None:
    assert [found.pointer for found in schema_mistakes(schema)] == [pointer]
    assert schema_mistakes(REFUND.schema) == []


def test_references_within_a_schema_work_and_formats_are_checked() -> None:
    schema = {
        "$defs": {"to": {"type": "string", "format": "email"}},
        "properties": {"to": {"$ref": "#/$defs/to"}},
    }
    assert schema_mistakes(schema) == []
    kind = Kind(name="customer.email", title="Email", schema=schema)
    assert validate_payload(kind, {"to": "a@b.example"}) == []
    assert validate_payload(kind, {"to": "nobody"}) == [("/to", "the format email", '"nobody"')]


def test_every_currency_with_unusual_decimals_is_a_current_one() -> None:
    unusual = {code for code in current_currencies() if minor_units(code) != 2}
    assert {"JPY", "KWD", "CLF", "XAF"} <= unusual
    assert len(unusual) == 26


@pytest.mark.parametrize(
    ("amount", "currency", "expected"),
    [
        ('"500.50"', '"JPY"', "at most 0 decimals in JPY"),
        ("500.50", '"JPY"', "at most 0 decimals in JPY"),
        ('"12.505"', '"EUR"', "at most 2 decimals in EUR"),
        ('"1.0000"', '"KWD"', "at most 3 decimals in KWD"),
        ('"500"', '"JPY"', None),
        ('"-12.50"', '"EUR"', None),
        ('"much"', '"EUR"', None),
        ('"12.505"', '"EURO"', None),
        ('"12.505"', "[1]", None),
    ],
)
def test_an_amount_is_too_fine_for_its_currency_and_nothing_else(
    amount: str, currency: str, expected: str | None
) -> None:
    payload = refund(amount=amount, currency=currency)
    found = too_fine_amount(REFUND, payload, currency="EUR")
    assert found == (("/amount", expected, amount) if expected else None)


def test_an_amount_that_names_no_currency_is_in_the_one_that_is_given() -> None:
    payload = {"amount": "500.50"}
    expected = ("/amount", "at most 0 decimals in JPY", '"500.50"')
    assert too_fine_amount(REFUND, payload, currency="JPY") == expected
    assert too_fine_amount(REFUND, payload, currency="EUR") is None
    assert too_fine_amount(REFUND, payload, currency="") is None
    assert too_fine_amount(REFUND, {}, currency="JPY") is None
    for pointer in ("amount_pointer", "currency_pointer"):
        assert too_fine_amount(replace(REFUND, **{pointer: None}), payload, currency="JPY") is None


def test_what_is_too_fine_is_shown_in_60_characters() -> None:
    payload = {"amount": "1." + "5" * 70}
    found = too_fine_amount(REFUND, payload, currency="JPY")
    assert found is not None
    assert found.got == '"1.' + "5" * 57 + "… (14 more characters)"
