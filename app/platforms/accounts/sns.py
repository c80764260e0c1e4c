"""Messages of Amazon SNS, whose signature is verified with a certificate served by AWS."""

import base64
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

import httpx

from nextpair.app.errors import (
    BadArrival,
    BadNotice,
    Malformed,
    PlatformDenied,
    PlatformUnreachable,
)
from nextpair.app.platforms.accounts.payloads import parse
from nextpair.app.platforms.base import origin_of

AWS = re.compile(r"https://sns\.[a-z0-9-]{1,40}\.amazonaws\.com(\.cn)?")
SECONDS = 3.0
"""How long each step of a request may take, because a webhook waits for it."""
MAX_CERTIFICATE_BYTES = 100_000
"""Bytes of a certificate that are read."""
_CONFIRMATIONS = ("SubscriptionConfirmation", "UnsubscribeConfirmation")
_SIGNED = {
    True: ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
    False: ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
}


def read_envelope(body: bytes, topic: str) -> dict[str, Any]:
    """Read a posted message; its content type is text, whatever it contains."""
    try:
        envelope = dict(parse(body).mapping())
    except Malformed:
        raise BadNotice("this is no notification of MTurk") from None
    if topic and envelope.get("TopicArn") != topic:
        raise BadNotice("the notification is of another topic")
    return envelope


def check_signature(envelope: Mapping[str, Any], sites: Sequence[str]) -> None:
    """Raise unless SNS has signed this; certificates come from AWS, or from the named sites.

    Parameters
    ----------
    sites
        Instead of AWS: those of a compatible server.
    """
    url = envelope.get("SigningCertURL") or envelope.get("SigningCertUrl")
    version = envelope.get("SignatureVersion")
    if not isinstance(url, str) or version not in ("1", "2"):
        raise BadNotice("the notification is not signed by SNS")
    if not _is_trusted(url, sites):
        raise BadNotice("the notification names a certificate that is not from AWS")
    try:
        signature = base64.b64decode(str(envelope["Signature"]), validate=True)
        _verify(_certificate(url), signature, _text(envelope), version)
    except (KeyError, ValueError, TypeError):
        raise BadNotice("the notification is not signed by SNS") from None


def _is_trusted(url: str, sites: Sequence[str]) -> bool:
    """Say whether an address belongs to AWS: no other one is ever requested."""
    try:
        parts, site = urlsplit(url), origin_of(url)
    except (BadArrival, ValueError):
        return False
    if parts.query or parts.fragment or not parts.path.endswith(".pem"):
        return False
    return site in sites if sites else AWS.fullmatch(site) is not None


def _text(envelope: Mapping[str, Any]) -> bytes:
    """Return the signed fields in the order in which they are signed."""
    names = _SIGNED[envelope["Type"] in _CONFIRMATIONS]
    fields = [(name, envelope[name]) for name in names if name in envelope or name != "Subject"]
    return "".join(f"{name}\n{value}\n" for name, value in fields if value is not None).encode()


@lru_cache(maxsize=16)
def _certificate(url: str) -> Any:
    try:
        from cryptography.x509 import load_pem_x509_certificate
    except ImportError:
        raise PlatformDenied(
            "signatures of SNS need cryptography: install it with `pip install 'nextpair[mturk]'`"
        ) from None
    try:
        response = httpx.get(url, timeout=SECONDS, follow_redirects=False)
        response.raise_for_status()
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        kind = type(error).__name__
        raise PlatformUnreachable(f"the certificate of SNS cannot be read ({kind})") from None
    return load_pem_x509_certificate(response.content[:MAX_CERTIFICATE_BYTES])


def _verify(certificate: Any, signature: bytes, text: bytes, version: str) -> None:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.hashes import SHA1, SHA256

    now = datetime.now(UTC)
    if not certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc:
        raise BadNotice("the certificate of SNS is not valid now")
    digest = SHA1() if version == "1" else SHA256()
    try:
        certificate.public_key().verify(signature, text, PKCS1v15(), digest)
    except InvalidSignature:
        raise BadNotice("the signature of SNS does not hold") from None
