"""A fake Amazon SNS, which signs messages with a certificate of its own."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.hashes import SHA1, SHA256
from cryptography.hazmat.primitives.serialization import Encoding
from platforms.fake_server import FakePlatform, Refused, Reply, Request

Json = dict[str, Any]
TOPIC_ARN = "arn:aws:sns:us-east-1:123456789012:mturk"
PATH = "/SimpleNotificationService-1.pem"
NOTIFIED = ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type")
CONFIRMED = ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type")


class Signer(FakePlatform):
    """Serves its certificate, and signs."""

    def __init__(self, *, days: int = 1) -> None:
        super().__init__()
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        self.certificate = _certificate(self.key, days).public_bytes(Encoding.PEM)

    def answer(self, request: Request) -> Reply:
        """Serve the certificate."""
        self.requests.append(request)
        if self.faults:
            return self.faults.pop(0)
        if request.path.endswith(".pem"):
            return Reply(200, self.certificate)
        return Refused(404, "nothing").reply

    def sign(self, envelope: Json, version: str = "2") -> Json:
        """Sign an envelope as the documentation of SNS describes it."""
        names = CONFIRMED if envelope["Type"].endswith("Confirmation") else NOTIFIED
        text = "".join(f"{name}\n{envelope[name]}\n" for name in names if name in envelope)
        digest = SHA1() if version == "1" else SHA256()
        signature = self.key.sign(text.encode(), padding.PKCS1v15(), digest)
        return {
            **envelope,
            "SignatureVersion": version,
            "Signature": base64.b64encode(signature).decode(),
            "SigningCertURL": f"{self.url}{PATH}",
        }

    def notification(self, document: Json, version: str = "2") -> Json:
        """Put a document into a signed envelope."""
        return self.sign(
            {
                "Type": "Notification",
                "MessageId": "m1",
                "TopicArn": TOPIC_ARN,
                "Message": json.dumps(document),
                "Timestamp": "2026-11-18T00:00:00.000Z",
            },
            version,
        )


def _certificate(key: rsa.RSAPrivateKey, days: int) -> x509.Certificate:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "sns.example.org")])
    now = datetime.now(UTC)
    begins, ends = now - timedelta(days=3), now + timedelta(days=days)
    return (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(ends)
        .sign(key, SHA256())
    )
