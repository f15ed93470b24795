"""Extends schemathesis by the data of the running service and by bodies of lines."""

import json
import os

import schemathesis
from schemathesis import GenerationMode

# Existing data, created by the step.
EXISTING = {
    "supplier": os.environ["CUTOVER_SUPPLIER"],
    "number": os.environ["CUTOVER_NUMBER"],
}

# Values of query parameters that a schema cannot describe, and no long waits.
QUERY = {
    "cursor": os.environ["CUTOVER_CURSOR"],
    "after": "AAAAAAAAAAAAAAAAAAAAAA",
    "import_supplier": os.environ["CUTOVER_SUPPLIER"],
    "type": "account_import_process.created,account.erased",
    "wait": 0,
}

LINES = "application/x-ndjson"
NO_LINE = {"line": 1, "external_account_number": None, "status": 200, "body": {}}


@schemathesis.hook
def before_call(ctx, case, kwargs):
    """Uses existing data in half of the cases that conform to the description."""
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    for name, value in (case.path_parameters or {}).items():
        if name in EXISTING and len(value) % 2:
            case.path_parameters[name] = EXISTING[name]
    for name in list(case.query or {}):
        if name in QUERY:
            case.query[name] = QUERY[name]
    # Positions of the feed and of the stream share a name; a position of the stream is that of an imported account.
    if case.operation.definition.raw["operationId"] == "streamImportedAccounts":
        (case.query or {}).pop("after", None)


@schemathesis.serializer(LINES)
def to_lines(ctx, value):
    """Makes a request of one line."""
    return (json.dumps(value) + "\n").encode()


@schemathesis.deserializer(LINES)
def of_lines(ctx, response):
    """Returns the first line, as the schema describes each line; a constant if there is none."""
    lines = response.content.splitlines()
    return json.loads(lines[0]) if lines else NO_LINE
