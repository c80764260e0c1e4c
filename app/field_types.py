"""Values as they come in, no looser than they look."""

from typing import Annotated

from pydantic import Field, StringConstraints

SAFE_INTEGER = 2**53 - 1
"""What every JSON reader reads exactly."""

# NUL is the one character PostgreSQL's text cannot hold.
Line = Annotated[str, StringConstraints(max_length=1000, pattern=r"^[^\x00]*$")]
Prose = Annotated[str, StringConstraints(max_length=100_000, pattern=r"^[^\x00]*$")]
# Strict: "3" is not 3, and true is not 1.
Whole = Annotated[int, Field(strict=True)]
Real = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Flag = Annotated[bool, Field(strict=True)]
Seed = Annotated[Whole, Field(ge=0, le=SAFE_INTEGER)]
OptionValue = (
    bool
    | Annotated[int, Field(ge=-SAFE_INTEGER, le=SAFE_INTEGER)]
    | Annotated[float, Field(allow_inf_nan=False)]
    | Line
    | Annotated[list[Line], Field(max_length=1000)]
)
