"""Pictures of schedules."""

from collections.abc import Callable

from onceover.arguments import Path, one_of, path as path_of
from onceover.errors import Error

FORMATS = ("svg", "pdf", "png", "dot")
MOST_AT_ONCE = 64


class Picture:
    """A picture that is drawn when it is looked at, and again in each format that is asked for."""

    def __init__(self, draw: Callable[[str], bytes]):
        self._draw = draw
        self._svg: str | None = None

    def data(self, format: str = "svg") -> bytes:
        """The bytes of the picture: "svg", "pdf", "png", or "tikz", "dot" .."""
        one_of("format", format, FORMATS, f"one of {', '.join(FORMATS)}")
        return self._draw(format)

    @property
    def svg(self) -> str:
        """The picture as SVG, a text."""
        if self._svg is None:
            self._svg = self.data("svg").decode()
        return self._svg

    def save(self, path: Path) -> None:
        """Writes the picture; the file's name ends with its format."""
        file = path_of("path", path)
        file.write_bytes(self.data(file.suffix[1:]))

    def _repr_svg_(self) -> str:
        return inline(self.svg)


def svg_or_none(picture: Picture, ranks: int, steps: int) -> str | None:
    """For notebooks: what can't be drawn, or not at once, is shown as text."""
    if max(ranks, steps) > MOST_AT_ONCE:
        return None
    try:
        return inline(picture.svg)
    except Error:
        return None


def inline(svg: str | None) -> str:
    """The picture as a part of a page, without the declarations of a file."""
    return "" if svg is None else svg[svg.index("<svg"):]
