"""Writes digits.inc: the glyphs of the number that Gymnasium's CarRacing shows.

Usage: python make_digits.py > digits.inc, with pygame-ce 2.5.8 and fontTools. It fails if the
table's own layout of a number is not pygame's.
"""

import contextlib
import io
import pathlib

import numpy as np
from fontTools.ttLib import TTFont

with contextlib.redirect_stdout(io.StringIO()):  # pygame greets
    import pygame

CHARACTERS = "0123456789-"
SIZE = 42

HEADER = """\
// Made by make_digits.py from pygame-ce 2.5.8: its default font, GNU FreeSans Bold
// (freesansbold.ttf), at size 42, antialiased. Other characters than these are never drawn.
#include <cstdint>

namespace envpool::box2d {
"""

GLYPH = """
struct Glyph {
  int advance;         // in pixels
  const char* pixels;  // row by row: grey values, each as two hexadecimal digits
};
"""


def render(font: pygame.font.Font, text: str) -> np.ndarray:
    """Returns what pygame draws, white on black, as grey values [height, width]."""
    glyphs = font.render(text, True, (255, 255, 255), (0, 0, 0))
    surface = pygame.Surface(glyphs.get_size())
    surface.blit(glyphs, (0, 0))
    return pygame.surfarray.array3d(surface)[:, :, 0].T


def kerning_of(path: pathlib.Path) -> dict[str, int]:
    """Returns the kerning of each pair in 1/64 pixels, rounded as FreeType does."""
    font = TTFont(path)
    names = font.getBestCmap()
    table = font["kern"].kernTables[0].kernTable
    scale = round(SIZE * 64 * 65536 / font["head"].unitsPerEm)
    result = {}
    for first in CHARACTERS:
        for second in CHARACTERS:
            units = table.get((names[ord(first)], names[ord(second)]), 0)
            size = (abs(units) * scale + 0x8000) >> 16
            result[first + second] = size if units >= 0 else -size
    return result


def layout(text: str, glyphs: dict[str, np.ndarray], kerning: dict[str, int]) -> np.ndarray:
    """Returns what car_racing_picture.cpp draws."""
    pen = 0
    picture = np.zeros((glyphs["0"].shape[0], 64 * len(text)), np.uint8)
    for i, character in enumerate(text):
        pen += kerning[text[i - 1] + character] if i else 0
        glyph = glyphs[character]
        part = picture[:, pen >> 6 : (pen >> 6) + glyph.shape[1]]
        np.maximum(part, glyph, out=part)
        pen += 64 * glyph.shape[1]
    return picture[:, : pen >> 6]


def main() -> None:
    """Writes the header to the standard output."""
    pygame.font.init()
    font = pygame.font.Font(pygame.font.get_default_font(), SIZE)
    path = pathlib.Path(pygame.font.__file__).parent / pygame.font.get_default_font()
    glyphs = {character: render(font, character) for character in CHARACTERS}
    kerning = kerning_of(path)
    for number in range(-2000, 3000):
        text = f"{number:04.0f}"
        if not np.array_equal(layout(text, glyphs, kerning), render(font, text)):
            raise SystemExit(f"{text} has another layout")
    ink = np.flatnonzero(np.any([glyph.any(axis=1) for glyph in glyphs.values()], axis=0))
    first, rows = int(ink[0]), int(ink[-1] - ink[0] + 1)
    width = max(glyph.shape[1] for glyph in glyphs.values())

    print(HEADER)
    print(f"inline constexpr int kTextHeight = {glyphs['0'].shape[0]};")
    print(f"inline constexpr int kGlyphTop = {first};  // rows above and below are black")
    print(f"inline constexpr int kGlyphRows = {rows};")
    print(f"inline constexpr int kGlyphColumns = {width};")
    print("inline constexpr int kMinus = 10;  // the glyph after those of the ten digits")
    print(GLYPH)
    print("// clang-format off")
    print("// kKerning[first][second] is added to the advance of the first digit, in 1/64 pixels.")
    print("inline constexpr std::int16_t kKerning[10][10] = {")
    for digit in CHARACTERS[:10]:
        row = ", ".join(str(kerning[digit + other]) for other in CHARACTERS[:10])
        print(f"    {{{row}}},")
    print("};")
    if any(kerning["-" + digit] for digit in CHARACTERS):
        raise SystemExit("minus has kerning")
    print("\ninline constexpr Glyph kGlyphs[11] = {")
    for character in CHARACTERS:
        glyph = glyphs[character]
        wide = np.zeros((rows, width), np.uint8)
        wide[:, : glyph.shape[1]] = glyph[first : first + rows]
        print(f"    {{{glyph.shape[1]},  // {character}")
        for pair in np.split(wide, rows // 2):
            print(f'     "{pair.tobytes().hex()}"')
        print("    },")
    print("};\n// clang-format on\n\n}  // namespace envpool::box2d")


if __name__ == "__main__":
    main()
