from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operations.protocol.chain import ZERO, Break, body_bytes, check_chain, entry_hash, salted

type Entry = tuple[int, bytes, bytes, bytes]

bodies = st.lists(st.binary(min_size=1, max_size=20), min_size=1, max_size=6)


def a_chain(texts: list[bytes]) -> list[Entry]:
    entries: list[Entry] = []
    last = ZERO
    for seq, body in enumerate(texts, start=1):
        digest = entry_hash(last, seq, body)
        entries.append((seq, last, digest, body))
        last = digest
    return entries


def test_a_hash_is_made_of_prev_number_and_body() -> None:
    by_hand = sha256(b"\x00" * 32 + b"\x00\x00\x00\x00\x00\x00\x00\x01" + b'{"event":"mark"}')
    assert entry_hash(ZERO, 1, b'{"event":"mark"}') == by_hand.digest()


@given(bodies)
def test_a_whole_chain_has_no_break(texts: list[bytes]) -> None:
    assert check_chain(a_chain(texts)) is None


@given(bodies, st.data())
def test_one_changed_byte_is_found_where_it_is(texts: list[bytes], data: st.DataObject) -> None:
    chain = a_chain(texts)
    at = data.draw(st.integers(0, len(chain) - 1))
    member = data.draw(st.sampled_from([1, 2, 3]))
    entry = list(chain[at])
    changed = bytearray(entry[member])
    changed[data.draw(st.integers(0, len(changed) - 1))] ^= data.draw(st.integers(1, 255))
    entry[member] = bytes(changed)
    chain[at] = tuple(entry)
    found = check_chain(chain)
    assert found is not None
    assert found.seq == at + 1


@given(st.lists(st.binary(min_size=1), min_size=2, max_size=6), st.data())
def test_an_entry_taken_out_or_doubled_is_found(texts: list[bytes], data: st.DataObject) -> None:
    chain = a_chain(texts)
    at = data.draw(st.integers(0, len(chain) - 2))
    assert check_chain(chain[:at] + chain[at + 1 :]) == Break(
        at + 2, f"expected number {at + 1}, got {at + 2}"
    )
    doubled = check_chain([*chain[: at + 1], *chain[at:]])
    assert doubled == Break(at + 1, f"expected number {at + 2}, got {at + 1}")


def test_a_rewritten_entry_breaks_the_next_one() -> None:
    chain = a_chain([b"a", b"b"])
    chain[0] = (1, ZERO, entry_hash(ZERO, 1, b"forged"), b"forged")
    found = check_chain(chain)
    assert found == Break(2, "expected the hash of entry 1 before it, got another")


def test_a_body_that_its_hash_was_not_made_from_is_told_with_both_hashes() -> None:
    [(seq, prev, recorded, _)] = a_chain([b"a"])
    right = entry_hash(ZERO, 1, b"b")
    reason = f"expected hash {right.hex()} of its body, got {recorded.hex()}"
    assert check_chain([(seq, prev, recorded, b"b")]) == Break(1, reason)


def test_bytes_may_come_as_views_of_memory() -> None:
    views = [(seq, *map(memoryview, rest)) for seq, *rest in a_chain([b"a", b"b"])]
    assert check_chain(views) is None  # type: ignore[arg-type]


def test_a_body_has_one_spelling_and_no_floats() -> None:
    assert body_bytes({"b": 1, "a": None}) == b'{"a":null,"b":1}'
    with pytest.raises(TypeError):
        body_bytes({"seconds": 1.5})


def test_salted_words_are_proved_by_salt_and_text() -> None:
    assert salted(b"salt", "Inès") == sha256("saltInès".encode()).hexdigest()
    assert salted(b"salt", "Inès") != salted(b"other", "Inès")


def test_words_with_lone_surrogates_are_salted_too() -> None:
    assert salted(b"", "\ud800") == sha256(b"\xed\xa0\x80").hexdigest()
