"""What the Python peers share: the objects to check, and the check of a phone number."""

import json
import os

import phonenumbers

EMAIL = r"^[^@\s]+@[^@\s]+\.[^@\s]+$"


def objects():
    """The JSON Schemas of the objects by name, each after those that it refers to."""
    with open(os.environ["BENCH_MODEL"], encoding="utf-8") as file:
        return json.load(file)["$defs"]


def shape(schema):
    """The kind of a member, and whether it may be null: `string`, `date`, `decimal`, `array`, … or an object's name."""
    if "$ref" in schema:
        return schema["$ref"].removeprefix("#/$defs/"), False
    types = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    kind = "decimal" if "number" in types else schema.get("format", types[0])
    return kind, "null" in types


def is_phone(text):
    """Returns true for a number that libphonenumber finds valid in Australia."""
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(text, "AU"))
    except phonenumbers.NumberParseException:
        return False
