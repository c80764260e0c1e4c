"""Small plots as SVG, drawn without a library: they go into the page itself."""

from collections.abc import Sequence

from nextpair.app.html_markup import Html, element

WIDE, HIGH = 360, 220
LEFT, RIGHT, TOP, BOTTOM = 40, 18, 10, 36
"""Room for the axes' words. Letters of 12 stay readable on a telephone, where 360 is all."""

Points = Sequence[tuple[float, float]]


class Axes:
    """Two axes, and where a pair of numbers is between them."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float]) -> None:
        self.x, self.y = _widen(*x), _widen(*y)

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Return where to draw a point."""
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = (y - self.y[0]) / (self.y[1] - self.y[0])
        wide, high = WIDE - LEFT - RIGHT, HIGH - TOP - BOTTOM
        return round(LEFT + across * wide, 1), round(TOP + (1 - up) * high, 1)

    def frame(
        self, x_label: str, y_format: str = "{:.2f}", x_format: str = "{:,.0f}"
    ) -> list[Html]:
        """Draw lines across at round heights, and say what the axes are."""
        parts = []
        for step in range(5):
            value = self.y[0] + (self.y[1] - self.y[0]) * step / 4
            left, at = self.place(self.x[0], value)
            parts.append(line(left, at, WIDE - RIGHT, at, "grid"))
            parts.append(words(LEFT - 6, at + 4, y_format.format(value), "end"))
        for value, anchor in ((self.x[0], "start"), (self.x[1], "end")):
            across, _ = self.place(value, self.y[0])
            parts.append(words(across, HIGH - BOTTOM + 15, x_format.format(value), anchor))
        parts.append(words((LEFT + WIDE - RIGHT) / 2, HIGH - 4, x_label, "middle"))
        return parts

    def path(self, points: Points, kind: str) -> Html:
        """Draw a line through points."""
        told = " ".join(f"{x},{y}" for x, y in (self.place(*point) for point in points))
        return element("polyline", points=told, class_=kind)

    def dot(self, x: float, y: float, name: str | None = None) -> Html:
        """Draw a point, which may say what it is."""
        across, up = self.place(x, y)
        circle = element("circle", cx=across, cy=up, r=3.5)
        return element("g", element("title", name), circle) if name else circle


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> Html:
    """Draw a straight line."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def words(x: float, y: float, text: str, anchor: str = "start") -> Html:
    """Write something."""
    return element("text", text, x=x, y=y, text_anchor=anchor)


def picture(parts: Sequence[Html], label: str, high: int = HIGH) -> Html:
    """Put parts together as one picture with a description for those who cannot see it."""
    return element(
        "svg", *parts, viewBox=f"0 0 {WIDE} {high}", role="img", aria_label=label, class_="plot"
    )


def draw_curve(thin: Sequence[Points], thick: Points, x_label: str, label: str) -> Html:
    """Draw how something grows to 1: one line for each part, and a thicker one for the whole."""
    every = [point for points in (*thin, thick) for point in points]
    lowest = min((y for _, y in every), default=0.0)
    axes = Axes((0, max((x for x, _ in every), default=1.0)), (0.0 if lowest >= 0 else -1.0, 1.0))
    parts = axes.frame(x_label)
    parts += [axes.path(points, "thin") for points in thin]
    return picture([*parts, axes.path(thick, "thick")], label)


def draw_intervals(rows: Sequence[tuple[str, float, tuple[float, float]]], label: str) -> Html:
    """Draw shares with their intervals, one below the other."""
    high = 34 + 44 * len(rows)
    axes = Axes((0.0, 1.0), (0.0, 1.0))
    parts = []
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        across, _ = axes.place(share, 0)
        parts.append(line(across, 6, across, high - 24, "grid"))
        parts.append(words(across, high - 8, f"{share:.0%}", "middle"))
    for place, (name, share, (low, top)) in enumerate(rows):
        at = 36 + 44 * place
        (left, _), (middle, _), (right, _) = (axes.place(one, 0) for one in (low, share, top))
        parts.append(words(LEFT, at - 12, name))
        parts.append(line(left, at, right, at, "thick"))
        parts.append(element("circle", cx=middle, cy=at, r=5))
    return picture(parts, label, high)


def draw_scatter(points: Sequence[tuple[str, float, float]], x_label: str, label: str) -> Html:
    """Draw named points, and the line on which both numbers are the same."""
    most = max((max(x, y) for _, x, y in points), default=1.0)
    axes = Axes((0.0, most), (0.0, most))
    parts = axes.frame(x_label, "{:.2f}", "{:.2f}")
    parts.append(axes.path([(0.0, 0.0), (axes.x[1], axes.x[1])], "grid"))
    return picture([*parts, *(axes.dot(x, y, name) for name, x, y in points)], label)


def _widen(low: float, high: float) -> tuple[float, float]:
    return (low, high) if high > low else (low, low + 1)
