"""Extends schemathesis by the data of the running service and by bodies of lines."""

import json
import os

import schemathesis
from schemathesis import GenerationMode

# Existing data, created by the step.
EXISTING = {
    "supplier": os.environ["CUTOVER_SUPPLIER"],
    "number": os.environ["CUTOVER_NUMBER"],
    "business": os.environ["CUTOVER_BUSINESS"],
    "code": "required",
    "rule": "STR-01",
    "run": os.environ["CUTOVER_RUN"],
    "other_run": os.environ["CUTOVER_RUN"],
}

# What a generated value hardly ever names.
SELDOM = {"business", "code", "rule", "run", "other_run"}

# Operations on accounts that a generated number hardly ever names.
SELDOM_FOUND = {"cancelAccount", "reportBilled"}

# Values of query parameters that a schema cannot describe, and no long waits.
QUERY = {
    "cursor": os.environ["CUTOVER_CURSOR"],
    "after": "AAAAAAAAAAAAAAAAAAAAAA",
    "import_supplier": os.environ["CUTOVER_SUPPLIER"],
    "type": "account_import_process.created,account.erased",
    "wait": 0,
    "modified_after": "2026-11-20T09:00:00+11:00",
}

# Operations whose positions are of another kind, which is valid for a place in their own data only.
OWN_POSITIONS = {
    "streamImportedAccounts": "after",
    "listBusinesses": "cursor",
    "listRefusedCreates": "cursor",
    "listMissingAccounts": "cursor",
    "listUnexpectedAccounts": "cursor",
    "listRuns": "cursor",
}

LINES = "application/x-ndjson"
NO_LINE = {"line": 1, "external_account_number": None, "status": 200, "body": {}}


@schemathesis.hook
def before_call(ctx, case, kwargs):
    """Uses existing data in half of the cases that conform to the description."""
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    operation = case.operation.definition.raw["operationId"]
    for name, value in (case.path_parameters or {}).items():
        if name in EXISTING and (len(value) % 2 or name in SELDOM or operation in SELDOM_FOUND):
            case.path_parameters[name] = EXISTING[name]
    for name in list(case.query or {}):
        if name in QUERY:
            case.query[name] = QUERY[name]
    (case.query or {}).pop(OWN_POSITIONS.get(operation), None)


@schemathesis.serializer(LINES)
def to_lines(ctx, value):
    """Makes a request of one line."""
    return (json.dumps(value) + "\n").encode()


@schemathesis.deserializer(LINES)
def of_lines(ctx, response):
    """Returns the first line, as the schema describes each line; a constant if there is none."""
    lines = response.content.splitlines()
    return json.loads(lines[0]) if lines else NO_LINE
