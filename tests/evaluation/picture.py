"""The picture of an evaluation: quality by set and method, and latency against quality."""

from collections.abc import Iterator, Mapping
from typing import Any

METHODS = ("lexical", "semantic", "weighted", "rrf", "blend")
COLOURS = ("#4c78a8", "#f58518", "#2e7d32", "#9e9ac8", "#b0763b")
ENGINES = {"embedded": "#2e7d32", "opensearch": "#1f4e79"}
WIDTH, LEFT, ROW, BAR = 920, 150, 16, 11
HEAD, GAP = 70, 26
SCATTER = 300


def drawn(figures: Mapping[str, Any]) -> str:
    """An SVG document."""
    bars = HEAD + sum(len(METHODS) * ROW + GAP for _ in figures)
    height = bars + SCATTER + 60
    body = "\n".join([*_bars(figures), *_scatter(figures, bars)])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'font-family="sans-serif" font-size="12">\n'
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>\n{body}\n</svg>\n'
    )


def _text(x: float, y: float, said: str, **options: str) -> str:
    told = "".join(f' {name.replace("_", "-")}="{value}"' for name, value in options.items())
    return f'<text x="{x:.1f}" y="{y:.1f}"{told}>{said}</text>'


def _bars(figures: Mapping[str, Any]) -> Iterator[str]:
    """A group of bars for each set, of the embedded index, with OpenSearch's as a tick."""
    yield _text(10, 24, "nDCG@10 by set and method", font_size="16", font_weight="bold")
    yield _text(10, 44, "bar: embedded index; tick: OpenSearch", fill="#555")
    span = WIDTH - LEFT - 70
    top = HEAD
    for name, engines in figures.items():
        yield _text(10, top + 12, name, font_weight="bold")
        for place, (method, colour) in enumerate(zip(METHODS, COLOURS, strict=True)):
            y = top + place * ROW
            ours = engines["embedded"]["methods"][method]["ndcg@10"]
            yield _text(LEFT - 6, y + 10, method, text_anchor="end", fill="#333")
            yield (
                f'<rect x="{LEFT}" y="{y}" width="{ours * span:.1f}" height="{BAR}" '
                f'fill="{colour}"/>'
            )
            yield _text(LEFT + span + 8, y + 10, f"{ours:.3f}", fill="#333")
            if "opensearch" in engines:
                x = LEFT + engines["opensearch"]["methods"][method]["ndcg@10"] * span
                yield (
                    f'<line x1="{x:.1f}" y1="{y - 2}" x2="{x:.1f}" y2="{y + BAR + 2}" '
                    f'stroke="black" stroke-width="2"/>'
                )
        top += len(METHODS) * ROW + GAP


def _scatter(figures: Mapping[str, Any], top: int) -> Iterator[str]:
    """One dot a set and engine: the default's quality over the time of its legs and fusion."""
    left, right, bottom = LEFT, WIDTH - 70, top + SCATTER
    longest = max(found["ms"] for engines in figures.values() for found in engines.values()) * 1.15
    title = "Latency against quality: the default, legs and fusion in process, p50"
    yield _text(10, top + 14, title, font_size="16", font_weight="bold")
    yield (
        f'<rect x="{left}" y="{top + 30}" width="{right - left}" height="{SCATTER - 30}" '
        'fill="none" stroke="#999"/>'
    )
    for step in range(6):
        x = left + (right - left) * step / 5
        yield _text(x, bottom + 16, f"{longest * step / 5:.1f} ms", text_anchor="middle")
        y = bottom - (SCATTER - 30) * step / 5
        yield _text(left - 6, y + 4, f"{step / 5:.1f}", text_anchor="end")
    for number, (engine, colour) in enumerate(ENGINES.items()):
        yield f'<circle cx="{right - 110}" cy="{top + 48 + 18 * number}" r="5" fill="{colour}"/>'
        yield _text(right - 98, top + 52 + 18 * number, engine)
    for name, engines in figures.items():
        for engine, found in engines.items():
            x = left + (right - left) * found["ms"] / longest
            y = bottom - (SCATTER - 30) * found["methods"]["weighted"]["ndcg@10"]
            yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{ENGINES[engine]}"/>'
            yield _text(x + 8, y + 4, name, font_size="10", fill="#333")
