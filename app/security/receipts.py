"""What proves that something comes from us: receipts, codes, names of deeds, words of hooks."""

import base64
import hashlib
import hmac

from nextpair.app.platforms.facts import Receipt

CODE = 10
WORD = 32
TOKEN = 40


class Receipts:
    """Signs with the installation's secret; nothing of it is stored."""

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

    def matches(self, brought: str, submission_id: int, session: str, worker_id: int) -> bool:
        """Say whether what a worker brought is the receipt, or the code, of their session."""
        own = self.receipt(submission_id, session, worker_id, 0)
        given = brought.strip().encode(errors="replace")
        is_token = hmac.compare_digest(given, own.token.encode())
        return hmac.compare_digest(given.upper(), own.code.encode()) or is_token

    def deed_token(self, study_id: int, token: str) -> str:
        """Name a deed so that no other deed, of any installation, has the same name."""
        return self._digest("deed", study_id, token).hex()[:TOKEN]

    def hook_word(self, study_id: int) -> str:
        """Return the word in a study's address for news, which only its platform is told."""
        return self._digest("hook", study_id).hex()[:WORD]
