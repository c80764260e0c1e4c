"""Calls about API keys."""

from collections.abc import Iterator

from nextpair.app.client.calls import CallGroup, dump_set_fields, path_segment
from nextpair.app.enums import Scope
from nextpair.app.schemas.keys import KeyIn, KeyOut, NewKeyOut, SignInOut


class KeyCalls(CallGroup):
    """Calls about API keys."""

    def create_key(self, scope: Scope, label: str = "") -> NewKeyOut:
        """Create a key; it is returned only this once."""
        body = dump_set_fields(KeyIn(scope=scope, label=label))
        return self._call(NewKeyOut, "POST", "/v1/keys", body, creates=True)

    def keys(self) -> Iterator[KeyOut]:
        """Yield all keys, without their secrets."""
        return self._pages(KeyOut, "/v1/keys")

    def revoke_key(self, key: str) -> KeyOut:
        """Revoke a key."""
        return self._call(KeyOut, "DELETE", f"/v1/keys/{path_segment(key)}")

    def create_sign_in(self) -> SignInOut:
        """Create a one-time path of the service that signs a browser in."""
        return self._call(SignInOut, "POST", "/v1/sign-ins", {})
