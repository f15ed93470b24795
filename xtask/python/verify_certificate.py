"""Verifies a certificate against the files of a supplier, by docs/certificate.md alone: a second program, beside cutover-client.

    verify_certificate.py CERTIFICATE LEAVES PUBLIC_KEY [--additions FILE]... FILE...

FILEs hold an account per line, or one account. Prints what does not agree, a line each (`differs NUMBER`,
`missing NUMBER`, `extra NUMBER`, `fault TEXT`), and exits with 1 if there is such a line. It uses `cryptography` for the
signature and the standard library for everything else.
"""

import argparse
import base64
import hashlib
import json
import sys
from decimal import Decimal

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


class Number(str):
    """A number with the digits as sent."""


class Members(list):
    """The members of an object, as pairs in their order."""


def parsed(text):
    """Parses JSON without floating point; objects stay lists of pairs, because of several members of one name the first counts."""
    return json.loads(text, parse_int=Number, parse_float=Number, object_pairs_hook=Members)


def member(value, name, default=None):
    return next((held for known, held in value if known == name), default)


def canonical_8785(value):
    """For the names and numbers of certificates, this is RFC 8785."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def sha256(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part)
    return digest.digest()


def number(text):
    sign, digits, exponent = Decimal(text).as_tuple()
    digits = "".join(map(str, digits)).lstrip("0")
    if not digits:
        return "0"
    exponent += len(digits) - len(digits.rstrip("0"))
    return ("-" if sign else "") + digits.rstrip("0") + (f"e{exponent}" if exponent else "")


ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def string(text):
    escape = lambda c: ESCAPES.get(c) or (f"\\u{ord(c):04x}" if c < " " else c)
    return '"' + "".join(map(escape, text)) + '"'


def content(value):
    """The canonical text of content, in which numbers are exact."""
    if isinstance(value, Members):
        first = {}
        for name, held in value:
            first.setdefault(name, held)
        return "{" + ",".join(string(name) + ":" + content(first[name]) for name in sorted(first)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(content, value)) + "]"
    if isinstance(value, Number):
        return number(value)
    if isinstance(value, str):
        return string(value)
    return {True: "true", False: "false", None: "null"}[value]


def content_hash(value):
    return sha256(content(value).encode())


def root_of(hashes):
    if not hashes:
        return sha256(b"")
    level = hashes
    # Pairs from the left; the last one goes up alone. That is the tree of RFC 6962.
    while len(level) > 1:
        pairs = [sha256(b"\x01", level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        level = pairs + ([level[-1]] if len(level) % 2 else [])
    return level[0]


def verify_signature(certificate, public_key):
    key = base64.b64decode(public_key)
    if certificate["type"] != "cutover-certificate/1":
        return "another type"
    if certificate["key_id"] != sha256(key).hex()[:16]:
        return "another key"
    signed = {name: held for name, held in certificate.items() if name != "signature"}
    try:
        signature = base64.b64decode(certificate["signature"])
        Ed25519PublicKey.from_public_bytes(key).verify(signature, canonical_8785(signed))
    except InvalidSignature:
        return "the signature does not match"
    return None


def texts(path):
    """The JSON texts of a file: one in the whole file, or one per line."""
    with open(path, encoding="utf-8") as file:
        whole = file.read()
    try:
        return [parsed(whole)]
    except json.JSONDecodeError:
        return [parsed(line) for line in whole.splitlines() if line.strip()]


def trimmed(text):
    return text.strip(" \t\r\n")


def note_identity(note):
    body = member(note, "body")
    if isinstance(body, str) and trimmed(body):
        return ("body", trimmed(body))
    paths = (trimmed(member(document, "document_path")) for document in member(note, "document_paths") or [])
    return ("documents", *(path.removeprefix("/") for path in paths))


def things(body):
    """The additions of a request: kind, thing, what it is known by, and the time of a note."""
    if member(body, "notes") is not None:
        return [("note", note, note_identity(note), member(note, "created_at")) for note in member(body, "notes")]
    if member(body, "transactions") is not None:
        return [("transaction", one, trimmed(member(one, "transaction_id")), None) for one in member(body, "transactions")]
    if member(body, "statements") is not None:
        return [("historical_statement", one, trimmed(member(one, "statement_id")), None) for one in member(body, "statements")]
    known_by = tuple(trimmed(member(body, name)) for name in ("vendor", "type", "reference"))
    return [("payment_instruction", body, known_by, None)]


def added(account, requests):
    """The hashes of what was new."""
    known = {("note", note_identity(note)) for note in member(account, "notes") or []}
    dated = {(note_identity(note), member(note, "created_at")) for note in member(account, "notes") or []}
    for ledger in member(account, "ledgers") or []:
        for name in ("current_statement_transactions", "historical_statement_transactions"):
            known |= {("transaction", trimmed(member(one, "transaction_id"))) for one in member(ledger, name) or []}
    hashes = []
    for kind, thing, known_by, at in (one for body in requests for one in things(body)):
        is_new = (known_by, at) not in dated if at is not None else (kind, known_by) not in known
        known.add((kind, known_by))
        if at is not None:
            dated.add((known_by, at))
        if is_new:
            hashes.append(content_hash([kind, thing]))
    return sorted(hashes)


def accounts(paths, additions, supplier):
    """The hash of everything that was sent of each account."""
    requests = {}
    for body in (body for path in additions for body in texts(path)):
        if trimmed(member(body, "import_supplier")) == supplier:
            requests.setdefault(trimmed(member(body, "external_account_number")), []).append(body)
    found = {}
    for body in (body for path in paths for body in texts(path)):
        is_envelope = any(name in ("payload", "task_params") for name, _ in body)
        account = member(body, "payload") if is_envelope else body
        if trimmed(member(account, "import_supplier")) == supplier:
            of = trimmed(member(account, "external_account_number"))
            found[of] = sha256(content_hash(account), *added(account, requests.get(of, []))).hex()
    return found


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("certificate")
    parser.add_argument("leaves")
    parser.add_argument("public_key")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--additions", action="append", default=[])
    given = parser.parse_args()
    with open(given.certificate, encoding="utf-8") as file:
        certificate = json.load(file)
    faults = []
    fault = verify_signature(certificate, given.public_key)
    if fault:
        print(f"fault {fault}")
        sys.exit(1)
    sent = accounts(given.files, given.additions, certificate["import_supplier"])
    hashes, counts, erased, last = [], {}, 0, b""
    with open(given.leaves, encoding="utf-8") as file:
        for line in filter(str.strip, file):
            leaf = json.loads(line)
            if leaf.get("erased"):
                hashes.append(bytes.fromhex(leaf["leaf_hash"]))
                erased += 1
                continue
            hashes.append(sha256(b"\x00", canonical_8785(leaf)))
            counts[leaf["status"]] = counts.get(leaf["status"], 0) + 1
            of = leaf["external_account_number"]
            if of.encode() <= last:
                faults.append("fault the leaves are not in their order")
            last = of.encode()
            if of not in sent:
                faults.append(f"extra {of}")
            elif sent.pop(of) != leaf["content"]:
                faults.append(f"differs {of}")
    if len(sent) > erased:
        faults += [f"missing {of}" for of in sorted(sent)]
    if len(hashes) != certificate["accounts"]:
        faults.append("fault the number of leaves is another")
    if root_of(hashes).hex() != certificate["merkle_root"]:
        faults.append("fault the root is another")
    if not erased and {word: n for word, n in certificate["counts"].items() if n} != counts:
        faults.append("fault the counts are others")
    for line in faults:
        print(line)
    if faults:
        sys.exit(1)
    print(f"verified {len(hashes)}")


main()
