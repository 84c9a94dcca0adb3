"""Which keys resemble each other, and which spellings are asked for by themselves."""

import pytest

from reconciliation.protocol.near_keys import (
    MOST_VARIANTS,
    Nearness,
    folded,
    is_one_edit_apart,
    nearness,
    variants,
)


@pytest.mark.parametrize(
    ("key", "other"),
    [
        ("order-17", "ORDER-17"),
        ("order-17", "order_17"),
        ("order-17", "order 17"),
        ("order-17", " order17"),
        ("order-017", "order-17"),
        ("order-0", "order-00"),
    ],
)
def test_case_separators_and_leading_zeros_are_a_matter_of_spelling(key, other):
    assert nearness(key, other) is Nearness.SPELLING
    assert nearness(other, key) is Nearness.SPELLING


@pytest.mark.parametrize(
    ("key", "other"),
    [
        ("order-17", "order-18"),
        ("order-17", "order-107"),
        ("order-17", "order-7"),
        ("order-17", "order-1"),
        ("order-17", "xrder-17"),
        ("order-17", "order-71"),
        ("order-17", "roder-17"),
        ("a", "b"),
    ],
)
def test_one_character_or_two_that_changed_places(key, other):
    assert nearness(key, other) is Nearness.ONE_CHARACTER
    assert nearness(other, key) is Nearness.ONE_CHARACTER


@pytest.mark.parametrize(
    ("key", "other"),
    [
        ("order-17", "order-17-2026"),
        ("order-17", "supplier/order-17"),
        ("order-17", "acme/order-17"),
    ],
)
def test_a_beginning_or_an_end_of_four_characters_is_a_cut(key, other):
    assert nearness(key, other) is Nearness.CUT
    assert nearness(other, key) is Nearness.CUT


def test_a_beginning_of_four_characters_is_near_and_of_three_is_not():
    assert nearness("abcd", "abcdefg") is Nearness.CUT
    assert nearness("abc", "abcdef") is None


@pytest.mark.parametrize(
    ("key", "other"),
    [
        ("order-17", "order-17"),
        ("order-17", "order-29"),
        ("order-17", "refund-17"),
        ("order-17", "order-1x7y"),
        ("--", "///"),
        ("abcd", "badc"),
    ],
)
def test_equal_keys_and_others_are_not_near(key, other):
    assert nearness(key, other) is None


def test_signs_alone_are_no_spelling():
    assert folded("--") == ()
    assert folded("A-007b") == ("a", "7", "b")
    assert folded("order-000") == ("order", "0")


def test_equal_texts_are_no_edit_apart():
    assert not is_one_edit_apart("same", "same")
    assert is_one_edit_apart("", "a")
    assert not is_one_edit_apart("", "ab")


def test_variants_are_other_spellings_and_what_is_left_without_an_outer_part():
    assert variants(" Order-17") == [
        "Order-17",
        "order-17",
        "ORDER-17",
        "Order_17",
        "Order 17",
        "Order17",
        "Order",
    ]
    assert "order-17" in variants("SHOP/order-17")
    assert "order-17" in variants("order-17#2026")


def test_a_key_is_never_its_own_variant_and_there_are_at_most_sixteen():
    assert "order" not in variants("order")
    assert "" not in variants("--")
    assert "abcd" in variants("abcd-xyz12")
    assert "xyz1" in variants("abcd-xyz1")
    assert "abc" not in variants("abc-xyz12")
    many = variants("-".join(f"part{n}" for n in range(40)))
    assert len(many) == MOST_VARIANTS == 16 == len(set(many))
