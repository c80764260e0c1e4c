"""Calls about API keys."""

from collections.abc import Iterator

from nextpair.app.client.calls import Calls, at, dump
from nextpair.app.enums import Scope
from nextpair.app.schemas.keys import KeyIn, KeyOut, NewKeyOut, SignInOut


class Keys(Calls):
    """Calls about API keys."""

    def create_key(self, scope: Scope, label: str = "") -> NewKeyOut:
        """Make a key; it is told this once."""
        body = dump(KeyIn(scope=scope, label=label))
        return self._call(NewKeyOut, "POST", "/v1/keys", body, creates=True)

    def keys(self) -> Iterator[KeyOut]:
        """Yield all keys, without what opens anything."""
        return self._pages(KeyOut, "/v1/keys")

    def revoke_key(self, key: str) -> KeyOut:
        """Let a key open nothing any more."""
        return self._call(KeyOut, "DELETE", f"/v1/keys/{at(key)}")

    def create_sign_in(self) -> SignInOut:
        """Make a one-time address, below that of the service, that signs a browser in."""
        return self._call(SignInOut, "POST", "/v1/sign-ins", {})
