"""Migrates the fixtures with the client that openapi-python-client generated (`cargo xtask check --only clients`).

Environment: CUTOVER_URL, CUTOVER_KEY and CUTOVER_READER_KEY (keys of a supplier and of a reader),
CUTOVER_SUPPLIER, CUTOVER_FIXTURES (the folder). PYTHONPATH leads to the generated package.
"""

import json
import os
from pathlib import Path

from cutover_generated import AuthenticatedClient, Client, models
from cutover_generated.api.accounts import create_account, get_account_status, validate_account
from cutover_generated.api.after_the_import import create_notes
from cutover_generated.api.businesses import create_business
from cutover_generated.api.events import get_imported_account, read_events
from cutover_generated.api.progress import get_progress
from cutover_generated.api.service import get_health
from cutover_generated.api.tokens import obtain_token

URL = os.environ["CUTOVER_URL"]
SUPPLIER = os.environ["CUTOVER_SUPPLIER"]
FIXTURES = Path(os.environ["CUTOVER_FIXTURES"])

# Fixtures by folder, and the model that each must fit.
MODELS = {
    "accounts": models.Account,
    "notes": models.NotesRequest,
    "transactions": models.TransactionsRequest,
    "statements": models.HistoricalStatementsRequest,
    "payment_instructions": models.PaymentInstructionRequest,
    "businesses": models.BusinessRequest,
    "business_payment_instructions": models.BusinessPaymentInstructionRequest,
    "manifests": models.ManifestRequest,
    "manifest_numbers": models.ManifestNumbersRequest,
    "runs": models.RunRequest,
    "account_searches": models.AccountSearchRequest,
}

# The model of each fixture's meter points.
METER_POINTS = {
    "business": [models.ElectricityMeterPoint, models.ElectricityMeterPoint],
    "dual_fuel": [models.ElectricityMeterPoint, models.GasMeterPoint],
    "electricity": [models.ElectricityMeterPoint],
    "embedded_electricity": [models.EmbeddedElectricityMeterPoint],
    "embedded_gas": [models.EmbeddedGasMeterPoint],
    "embedded_water": [models.EmbeddedWaterMeterPoint],
    "gas": [models.GasMeterPoint],
    "unmetered_electricity": [models.UnmeteredElectricityMeterPoint],
    "unmetered_gas": [models.UnmeteredGasMeterPoint],
}


def fixtures(folder):
    """The requests of a folder by name, read into models that lose nothing."""
    requests = {}
    for path in sorted((FIXTURES / folder / "valid").glob("*.json")):
        body = json.loads(path.read_text(encoding="utf-8"))
        model = models.AccountEnvelope if "payload" in body else MODELS[folder]
        request = model.from_dict(body)
        assert request.to_dict() == body, f"{folder}/{path.stem}: {difference(body, request.to_dict())}"
        requests[path.stem] = request
    assert requests, folder
    return requests


def payload(account):
    """The account, with or without its envelope."""
    return account.payload if isinstance(account, models.AccountEnvelope) else account


def difference(sent, kept, path=""):
    """The first place where two bodies differ."""
    if isinstance(sent, dict) and isinstance(kept, dict):
        for name in sorted(sent.keys() | kept.keys()):
            if name not in sent or name not in kept:
                return f"{path}.{name}"
            if sent[name] != kept[name]:
                return difference(sent[name], kept[name], f"{path}.{name}")
    if isinstance(sent, list) and isinstance(kept, list) and len(sent) == len(kept):
        for i, (one, other) in enumerate(zip(sent, kept)):
            if one != other:
                return difference(one, other, f"{path}[{i}]")
    return path


def sign_in(key):
    """A client with a token for the key."""
    body = models.ObtainTokenBody(
        query="mutation Obtain($input: ObtainTokenInput!) { obtainToken(input: $input) { token refreshExpiresIn } }",
        variables=models.ObtainTokenBodyVariablesType0.from_dict({"input": {"apiKey": key}}),
    )
    answer = obtain_token.sync(client=Client(base_url=URL), body=body)
    obtained = answer.data.obtain_token
    assert isinstance(obtained, models.ObtainedToken) and obtained.token, answer
    assert isinstance(obtained.refresh_expires_in, int)
    return AuthenticatedClient(base_url=URL, token=obtained.token, prefix="Token")


def events_until(client, count):
    """Reads the feed, one page after another, until as many accounts are imported."""
    after, events = None, []
    while sum(event.type_ == "account_import_process.processed" for event in events) < count:
        position = {"after": after} if after else {}
        page = read_events.sync(client=client, import_supplier=SUPPLIER, wait=30, **position)
        assert page, f"no event within 30 seconds after {len(events)}"
        events.extend(page)
        after = page[-1].id
    return events


def main():
    assert get_health.sync(client=Client(base_url=URL)).status == "ok"
    client = sign_in(os.environ["CUTOVER_KEY"])
    reader = sign_in(os.environ["CUTOVER_READER_KEY"])
    requests = {folder: fixtures(folder) for folder in MODELS}

    for name, business in requests["businesses"].items():
        created = create_business.sync(client=client, body=business)
        assert isinstance(created, models.BusinessCreated), (name, created)
        assert created.external_business_identifier == business.external_business_identifier

    accounts = requests["accounts"]
    for name, account in accounts.items():
        points = [type(point) for entry in payload(account).supply_addresses for point in entry.meter_points]
        assert points == METER_POINTS[name], (name, points)
        valid = validate_account.sync(client=client, body=account)
        assert isinstance(valid, models.ValidateAccountResponse200), (name, valid)
        created = create_account.sync(client=client, body=account)
        assert isinstance(created, models.CreateAccountResponse201), (name, created)

    events = events_until(reader, len(accounts))
    for name, account in accounts.items():
        number = payload(account).external_account_number
        status = get_account_status.sync(supplier=SUPPLIER, number=number, client=client)
        assert isinstance(status, models.ProcessStatus), (name, status)
        assert status.status == models.ProcessStatusStatus.PROCESSED, (name, status)
        imported = get_imported_account.sync(supplier=SUPPLIER, number=number, client=reader)
        assert isinstance(imported, models.ImportedAccount), (name, imported)
        assert imported.service_account_number == status.service_identifier
        points = [type(point) for entry in imported.supply_addresses for point in entry.meter_points]
        assert points == METER_POINTS[name], (name, points)
        assert any(event.service_account_number == status.service_identifier for event in events), name
    progress = get_progress.sync(supplier=SUPPLIER, client=client)
    assert progress.counts.processed == len(accounts), progress

    for name, notes in requests["notes"].items():
        results = create_notes.sync(client=client, body=notes)
        assert isinstance(results, list) and isinstance(results[0], models.NoteResult), (name, results)

    refusals(client, accounts)
    print(f"Python: {sum(map(len, requests.values()))} fixtures, {len(accounts)} accounts, {len(events)} events")


def refusals(client, accounts):
    """Each form of a refusal is read as its own model."""
    account = payload(accounts["electricity"])
    again = create_account.sync(client=client, body=account)
    assert isinstance(again, models.AlreadyThere) and again.account_id, again
    faulty = models.Account.from_dict({**account.to_dict(), "import_supplier": "NOBODY"})
    refused = validate_account.sync(client=client, body=faulty)
    assert isinstance(refused, models.ValidationError) and refused.errors[0].code, refused
    unknown = get_account_status.sync(supplier=SUPPLIER, number="none", client=client)
    assert isinstance(unknown, models.Detail) and unknown.code == "not_found", unknown


if __name__ == "__main__":
    main()
