"""What proves that something comes from us: receipts, codes, idempotency keys, webhook secrets."""

import base64
import hashlib
import hmac

from nextpair.app.platforms.messages import Receipt

CODE = 10
WORD = 32
TOKEN = 40


class Receipts:
    """Derives codes from the installation's secret (HMAC), so that none of them is stored."""

    def __init__(self, secret: str) -> None:
        self._key = hashlib.sha256(f"hiring\0{secret}".encode()).digest()

    def _digest(self, *parts: object) -> bytes:
        text = "\0".join(map(str, parts))
        return hmac.new(self._key, text.encode(), hashlib.sha256).digest()

    def receipt(self, submission_id: int, session: str, worker_id: int, answered: int) -> Receipt:
        """Make the receipt of a session that was finished here."""
        signed = self._digest("receipt", submission_id, session, worker_id)
        token = base64.urlsafe_b64encode(signed[:24]).decode()
        code = base64.b32encode(self._digest("code", submission_id)).decode()[:CODE]
        return Receipt(f"{submission_id}.{token}", code, answered)

    def matches(self, presented: str, submission_id: int, session: str, worker_id: int) -> bool:
        """Say whether a worker has presented the receipt, or the code, of their session."""
        own = self.receipt(submission_id, session, worker_id, 0)
        value = presented.strip().encode(errors="replace")
        is_token = hmac.compare_digest(value, own.token.encode())
        return hmac.compare_digest(value.upper(), own.code.encode()) or is_token

    def idempotency_key(self, study_id: int, token: str) -> str:
        """Return the idempotency key of a command: no other command of any installation has it."""
        return self._digest("deed", study_id, token).hex()[:TOKEN]

    def webhook_secret(self, study_id: int) -> str:
        """Return the secret part of a study's webhook address, which only its platform knows."""
        return self._digest("hook", study_id).hex()[:WORD]
