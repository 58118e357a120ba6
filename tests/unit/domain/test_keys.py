"""Keys: their form, what they grant, and what their table's item remembers."""

import hashlib
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimpsest.domain import keys
from palimpsest.domain.errors import InvalidRequest
from palimpsest.domain.keys import Grant, Scope, StoredKey, Token

NOW = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)


def granted(*scopes: Scope, namespaces: tuple[str, ...] = ("*",)) -> Grant:
    return Grant("acme", "k1", frozenset(scopes), namespaces)


def stored(
    token: Token, *, expires_at: datetime | None = None, disabled: bool = False
) -> StoredKey:
    grant = Grant("acme", token.key_id, frozenset({Scope.READ}), expires_at=expires_at)
    return StoredKey(grant, token.secret_sha256, created_at=NOW, disabled=disabled)


def test_a_generated_key_is_read_back_as_itself() -> None:
    token = Token.generate()
    assert Token.parse(str(token)) == token


def test_generated_keys_differ() -> None:
    assert len({str(Token.generate()) for _ in range(100)}) == 100


def test_a_secret_may_contain_underscores() -> None:
    token = Token.parse("pal_abc_def_ghi-jkl_mno_pqr")
    assert token == Token("abc", "def_ghi-jkl_mno_pqr")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "pal_",
        "pal_abc",
        "pal_abc_",
        "pal_abc_short",
        "pal__0123456789abcdef",
        "PAL_abc_0123456789abcdef",
        "pal_abc_0123456789abcdef\n",
        " pal_abc_0123456789abcdef",
        "pal_a-b_0123456789abcdef",
        "pal_äbc_0123456789abcdef",
        "pal_abc_0123456789abcdé",
        "pal_abc_" + "x" * 129,
    ],
)
def test_what_is_not_written_like_a_key_is_none(text: str) -> None:
    assert Token.parse(text) is None


def test_only_a_hash_of_the_secret_is_kept_and_a_key_does_not_show_it_by_accident() -> None:
    token = Token("abc", "0123456789abcdef")
    assert token.secret_sha256 == hashlib.sha256(b"0123456789abcdef").hexdigest()
    assert "0123456789abcdef" not in repr(token)


@pytest.mark.parametrize(
    ("held", "allowed"),
    [
        (Scope.READ, {Scope.READ}),
        (Scope.WRITE, {Scope.READ, Scope.WRITE}),
        (Scope.ADMIN, {Scope.READ, Scope.WRITE, Scope.ADMIN}),
    ],
)
def test_each_scope_includes_those_below_it(held: Scope, allowed: set[Scope]) -> None:
    assert {scope for scope in Scope if granted(held).allows(scope)} == allowed


def test_a_key_without_scopes_allows_nothing() -> None:
    assert not any(granted().allows(scope) for scope in Scope)


@pytest.mark.parametrize(
    ("pattern", "namespace", "covered"),
    [
        ("*", "anything", True),
        ("team-*", "team-", True),
        ("team-*", "team-a.b", True),
        ("team-*", "my-team-a", False),
        ("*-log", "a-log", True),
        ("*-log", "a-log-b", False),
        ("a*b*c", "abc", True),
        ("a*b*c", "a-b-b-c", True),
        ("a*b*c", "a-c-b", False),
        ("aa*aa", "aaa", False),
        ("aa*aa", "aaaa", True),
        ("a**b", "a-b", True),
        ("default", "default", True),
        ("default", "defaults", False),
        ("a.c", "abc", False),
        ("Team", "team", False),
    ],
)
def test_a_pattern_covers_exactly_what_its_stars_leave_open(
    pattern: str, namespace: str, *, covered: bool
) -> None:
    assert keys.covers(pattern, namespace) is covered
    assert granted(Scope.READ, namespaces=("nothing", pattern)).admits(namespace) is covered


@given(st.lists(st.text("ab.", max_size=4), min_size=1, max_size=6), st.data())
def test_filling_the_stars_of_a_pattern_gives_a_name_that_it_covers(
    parts: list[str], data: st.DataObject
) -> None:
    gaps = [data.draw(st.text("abc.", max_size=3)) for _ in parts[1:]]
    filled = parts[0] + "".join(gap + part for gap, part in zip(gaps, parts[1:], strict=True))
    assert keys.covers("*".join(parts), filled)


def test_many_stars_do_not_make_a_pattern_slow() -> None:
    assert not keys.covers("*a" * 60 + "*b", "a" * 128)


def test_a_key_ends_at_the_instant_it_expires() -> None:
    token = Token.generate()
    key = stored(token, expires_at=NOW)
    assert key.opened_by(token, now=NOW - SECOND)
    assert not key.opened_by(token, now=NOW)


def test_a_wrong_secret_or_a_disabled_key_does_not_open() -> None:
    token = Token.generate()
    assert stored(token).opened_by(token, now=NOW)
    assert not stored(token).opened_by(Token(token.key_id, "x" * 43), now=NOW)
    assert not stored(token, disabled=True).opened_by(token, now=NOW)


@pytest.mark.parametrize("expires_at", [None, NOW])
def test_a_grant_survives_its_way_through_the_gateway(expires_at: datetime | None) -> None:
    grant = Grant("a:b", "k1", frozenset({Scope.READ, Scope.ADMIN}), ("x-*", "y"), expires_at)
    context = grant.to_context()
    assert all(isinstance(value, str) for value in context.values())
    assert Grant.from_context(context) == grant


@pytest.mark.parametrize("missing", ["tenant", "key_id", "scopes", "namespaces", "expires_at"])
def test_a_context_that_lacks_a_member_is_no_grant(missing: str) -> None:
    context = granted(Scope.READ).to_context()
    del context[missing]
    with pytest.raises(KeyError):
        Grant.from_context(context)


def test_a_context_with_an_unknown_scope_is_no_grant() -> None:
    with pytest.raises(ValueError, match="owner"):
        Grant.from_context(granted(Scope.READ).to_context() | {"scopes": "owner"})


@pytest.mark.parametrize("name", ["a", "Acme_Corp.eu:1@x-y", "x" * 64])
def test_a_tenant_is_1_to_64_safe_characters(name: str) -> None:
    assert keys.checked_tenant(name) == name


@pytest.mark.parametrize("name", ["", "x" * 65, "a b", "a#b", "a/b", "ä", "a\n"])
def test_other_tenants_are_refused(name: str) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        keys.checked_tenant(name)
    assert refusal.value.errors[0].loc == ("tenant",)


def test_scopes_and_patterns_come_as_comma_lists() -> None:
    assert keys.parse_scopes("read, write") == {Scope.READ, Scope.WRITE}
    assert keys.parse_namespaces("team-*, a,team-*") == ("team-*", "a")


@pytest.mark.parametrize("text", ["", "read,", "owner", "READ", "read;write"])
def test_other_scopes_are_refused(text: str) -> None:
    with pytest.raises(InvalidRequest):
        keys.parse_scopes(text)


@pytest.mark.parametrize("text", ["", "a,,b", "a b", "a/b", "a?", "[ab]", "x" * 129])
def test_other_patterns_are_refused(text: str) -> None:
    with pytest.raises(InvalidRequest):
        keys.parse_namespaces(text)
