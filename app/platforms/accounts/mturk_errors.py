"""What MTurk refuses, said as all platforms do."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from nextpair.app.errors import PlatformDenied, PlatformRefused, PlatformUnreachable
from nextpair.app.platforms.accounts.payloads import printable

_DENIED = re.compile(
    "AccessDenied|UnrecognizedClient|InvalidSignature|SignatureDoesNotMatch|InvalidClientTokenId"
    "|ExpiredToken|InvalidAccessKeyId|AuthFailure|MissingAuthenticationToken|OptInRequired"
    "|NotAuthorized|InsufficientFunds"
)
LONGEST = 300
"""How much is repeated of what MTurk says."""
_PASSING = re.compile("Throttl|ServiceFault|ServiceUnavailable|InternalFailure|RequestTimeout|^5")


@contextmanager
def translated() -> Iterator[None]:
    """Say what went wrong as all platforms do."""
    from botocore import exceptions

    try:
        yield
    except (exceptions.NoCredentialsError, exceptions.PartialCredentialsError) as error:
        raise PlatformDenied(f"there are no keys to MTurk: {error}") from None
    except exceptions.ClientError as error:
        _raise(error)
    except exceptions.ParamValidationError as error:
        raise PlatformRefused(str(error)) from None
    except (exceptions.HTTPClientError, exceptions.BotoCoreError) as error:
        raise PlatformUnreachable(f"MTurk cannot be reached: {error}") from None


def _raise(error: Any) -> None:
    about = error.response.get("Error", {})
    codes = about.get("Code"), error.response.get("TurkErrorCode")
    code = " ".join(str(one) for one in codes if one)
    told = printable(f"MTurk says {code}: {about.get('Message', '')}")[:LONGEST]
    if _DENIED.search(code):
        raise PlatformDenied(told) from None
    if _PASSING.search(code):
        raise PlatformUnreachable(told) from None
    raise PlatformRefused(told) from None
