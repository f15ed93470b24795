"""Checks of single accounts."""

import json
import pickle
import unittest
from datetime import date, datetime, timezone
from decimal import Decimal
from pathlib import Path

from cutover import Finding, validate

FIXTURES = Path(__file__).parents[3] / "fixtures" / "accounts"
NOW = datetime(2026, 11, 21, 2, tzinfo=timezone.utc)
TWICE = (FIXTURES / "faulty" / "PIN-01-same-type-twice.json").read_bytes()


def errors(payload, profile=None, time_zone=None):
    """Paths and codes of the errors."""
    found = validate(payload, profile, time_zone, now=NOW)
    return [(finding.attr, finding.code) for finding in found if finding.level == "error"]


class Validate(unittest.TestCase):
    def test_fixtures_are_judged_as_their_names_say(self):
        for path in sorted((FIXTURES / "valid").glob("*.json")):
            self.assertEqual(errors(path.read_bytes()), [], path.name)
        (finding,) = validate(TWICE, now=NOW)
        self.assertIsInstance(finding, Finding)
        self.assertEqual((finding.code, finding.rule, finding.level), ("invalid_payment_instruction", "PIN-01", "error"))
        self.assertTrue(finding.attr.startswith("payment_instructions.") and finding.detail)
        self.assertEqual(pickle.loads(pickle.dumps(finding)), finding)

    def test_text_bytes_and_dicts_are_the_same_account(self):
        expected = validate(TWICE, now=NOW)
        self.assertEqual(validate(TWICE.decode(), now=NOW), expected)
        self.assertEqual(validate(json.loads(TWICE, parse_float=Decimal), now=NOW), expected)

    def test_values_without_a_type_in_json_become_text(self):
        account = json.loads((FIXTURES / "valid" / "electricity.json").read_bytes(), parse_float=Decimal)
        customer = account["customers"][0]
        customer["date_of_birth"] = date(1980, 2, 29)
        self.assertEqual(errors(account), [])
        # Digits are kept, so that too many of them are found.
        account["ledgers"][0]["ledger_balance"] = Decimal("-175.071")
        self.assertNotEqual(errors(account), [])
        customer["date_of_birth"] = object()
        self.assertRaisesRegex(TypeError, "JSON has no object", validate, account)

    def test_the_profile_and_the_zone_count(self):
        self.assertEqual(errors(TWICE, {"rules": {"PIN-01": "off"}}), [])
        self.assertRaisesRegex(ValueError, "the profile's PIN-01", validate, TWICE, {"rules": {"PIN-01": "loud"}})
        self.assertRaisesRegex(ValueError, "IANA time zone", validate, TWICE, None, "Mars/Olympus")
        self.assertRaisesRegex(ValueError, "no time zone", validate, TWICE, now=datetime(2026, 11, 21))

    def test_what_is_no_json_is_a_finding_and_what_is_no_account_is_a_type_error(self):
        self.assertEqual(errors(b"\xff"), errors("{"))
        self.assertEqual([code for _, code in errors("\ud800")], ["parse_error"])
        self.assertEqual([code for _, code in errors({"balance": float("nan")})], ["parse_error"])
        self.assertEqual([code for _, code in errors(b" " * (8 * 1024 * 1024 + 1))], ["payload_too_large"])
        self.assertRaisesRegex(TypeError, "not list", validate, [])


if __name__ == "__main__":
    unittest.main()
