"""The picture of an evaluation: quality by set and method, and latency against quality."""

from collections.abc import Iterator, Mapping
from statistics import fmean
from typing import Any

METHODS = ("lexical", "semantic", "weighted", "rrf", "blend")
COLOURS = ("#4c78a8", "#f58518", "#2e7d32", "#9e9ac8", "#b0763b")
ENGINES = {"embedded": "#2e7d32", "opensearch": "#1f4e79"}
WIDTH, LEFT, ROW, BAR = 920, 220, 16, 11
HEAD, GAP = 70, 26
SCATTER = 300
LOWEST = 0.5


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
    """One dot a method and engine: its quality over its time, both as means over all sets; and of
    the sets with variations the default beside the deep search.
    """
    dots = list(_dots(figures))
    left, right, bottom = LEFT, WIDTH - 70, top + SCATTER
    longest, inner = max(ms for _, _, ms, _ in dots) * 1.25, SCATTER - 30
    title = "Latency against quality: legs and fusion in process, p50, nDCG@10"
    yield _text(10, top + 14, title, font_size="16", font_weight="bold")
    frame = f'x="{left}" y="{top + 30}" width="{right - left}" height="{inner}"'
    yield f'<rect {frame} fill="none" stroke="#999"/>'
    for step in range(6):
        x = left + (right - left) * step / 5
        yield _text(x, bottom + 16, f"{longest * step / 5:.1f} ms", text_anchor="middle")
        level = LOWEST + (1 - LOWEST) * step / 5
        yield _text(left - 6, bottom - inner * step / 5 + 4, f"{level:.1f}", text_anchor="end")
    for number, (engine, colour) in enumerate(ENGINES.items()):
        yield f'<circle cx="{30}" cy="{top + 48 + 18 * number}" r="5" fill="{colour}"/>'
        yield _text(42, top + 52 + 18 * number, engine)
    for engine, said, ms, score in dots:
        x = left + (right - left) * ms / longest
        y = bottom - inner * (score - LOWEST) / (1 - LOWEST)
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{ENGINES[engine]}"/>'
        yield _text(x + 8, y + 4, said, font_size="10", fill="#333")


def _dots(figures: Mapping[str, Any]) -> Iterator[tuple[str, str, float, float]]:
    """Engine, what a dot is, milliseconds and nDCG@10."""
    for engine in ENGINES:
        several = [engines[engine] for engines in figures.values() if engine in engines]
        for method in METHODS[:3] if several else ():
            ms = fmean(found["ms"][method] for found in several)
            score = fmean(found["methods"][method]["ndcg@10"] for found in several)
            yield engine, f"{method}, all sets", ms, score
        for name, engines in figures.items():
            found = engines.get(engine)
            if found is None or "deep weighted" not in found["ms"]:
                continue
            for method in ("weighted", "deep weighted"):
                score = found["methods"][method]["ndcg@10"]
                yield engine, f"{method}, {name}", found["ms"][method], score
