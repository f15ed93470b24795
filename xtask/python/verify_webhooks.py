"""Verifies requests of webhooks with the official library of Standard Webhooks, and Ed25519 with another one.

Reads from standard input {"secret": "whsec_…", "public_key": "whpk_…" or null, "requests": [{"headers": {…},
"body": "…"}]}. Fails at the first request that does not verify, or that still verifies after a change.
"""

import base64
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from standardwebhooks import Webhook, WebhookVerificationError


def verify_ed25519(public_key, headers, body):
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key.removeprefix("whpk_")))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.{body}".encode()
    signatures = [s[4:] for s in headers["webhook-signature"].split(" ") if s.startswith("v1a,")]
    assert signatures, "there is no v1a"
    key.verify(base64.b64decode(signatures[0]), signed)


given = json.load(sys.stdin)
webhook = Webhook(given["secret"])
for request in given["requests"]:
    headers, body = request["headers"], request["body"]
    assert webhook.verify(body, headers) == json.loads(body)
    try:
        webhook.verify(body + " ", headers)
        sys.exit("a changed body verifies")
    except WebhookVerificationError:
        pass
    if given["public_key"]:
        verify_ed25519(given["public_key"], headers, body)
        try:
            verify_ed25519(given["public_key"], headers, body + " ")
            sys.exit("a changed body verifies with Ed25519")
        except InvalidSignature:
            pass
print(f"verified {len(given['requests'])}")
