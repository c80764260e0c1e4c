"""Errors of boto3 as those of all platforms."""

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
MAX_QUOTED = 300
"""Characters of MTurk's message that are quoted."""
_TRANSIENT = re.compile("Throttl|ServiceFault|ServiceUnavailable|InternalFailure|RequestTimeout|^5")


@contextmanager
def translated_errors() -> Iterator[None]:
    """Raise errors of boto3 as errors of a platform."""
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
    details = error.response.get("Error", {})
    codes = details.get("Code"), error.response.get("TurkErrorCode")
    code = " ".join(str(part) for part in codes if part)
    message = printable(f"MTurk says {code}: {details.get('Message', '')}")[:MAX_QUOTED]
    if _DENIED.search(code):
        raise PlatformDenied(message) from None
    if _TRANSIENT.search(code):
        raise PlatformUnreachable(message) from None
    raise PlatformRefused(message) from None
