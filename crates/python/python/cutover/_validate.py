"""Checks accounts by the rules of the service, without a service."""

from __future__ import annotations

import json
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple, Optional, Union

from ._native import Validator


class Finding(NamedTuple):
    """A fault of an account, or a warning about it."""

    attr: str
    """Path of the member, such as `customers.0.email`."""
    code: str
    """Stable code, such as `invalid_phone_number`."""
    rule: Optional[str]
    """Rule that found it, such as `PIN-01`; `None` for an account that is too large."""
    level: str
    """`error` or `warning`: the service refuses accounts with errors."""
    detail: str
    """Text for people. It has no value of the account."""


def validate(
    payload: Union[str, bytes, dict[str, Any]],
    profile: Optional[dict[str, Any]] = None,
    time_zone: Optional[str] = None,
    *,
    now: Optional[datetime] = None,
) -> list[Finding]:
    """Checks an account by the rules of the service, without a service.

    Returns its errors, then its warnings, in the order of the service's answers. `profile` is what
    `cutover supplier show --json` prints of the supplier. `time_zone` is the zone of its days, such as
    `Australia/Melbourne`; it takes precedence over that of the profile. `now` is the time to check as of,
    with a time zone; otherwise it is the current time.

    Text is checked as it is. In a `dict`, decimals may be `str`, `int` or `decimal.Decimal`.
    """
    if now is not None and now.tzinfo is None:
        raise ValueError("now has no time zone")
    seconds = None if now is None else int(now.timestamp())
    words = None if profile is None else json.dumps(profile, sort_keys=True)
    found = _validator(words, time_zone).check(_as_bytes(payload), seconds)
    return [Finding(*parts) for parts in found]


@lru_cache(maxsize=64)
def _validator(profile: Optional[str], time_zone: Optional[str]) -> Validator:
    return Validator(profile, time_zone)


def _as_bytes(payload: Union[str, bytes, dict[str, Any]]) -> bytes:
    if isinstance(payload, bytes):
        return payload
    if isinstance(payload, str):
        # A lone surrogate becomes what the validator refuses.
        return payload.encode(errors="surrogatepass")
    if isinstance(payload, dict):
        return json.dumps(payload, default=_plain, ensure_ascii=False).encode(errors="surrogatepass")
    raise TypeError(f"an account is a str, bytes or dict, not {type(payload).__name__}")


def _plain(value: Any) -> str:
    """The JSON string of a value for which JSON has no type."""
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, (date, datetime)):
        return value.isoformat()
    raise TypeError(f"JSON has no {type(value).__name__}")
