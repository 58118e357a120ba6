from collections.abc import Callable, Sequence
from itertools import combinations

from benchmarks.measuring import Figure, in_turns, interleaved, table


def test_both_sides_take_turns_at_beginning_a_round_and_the_warm_up_does_not_count() -> None:
    order: list[str] = []

    def ours(number: int) -> tuple[float]:
        order.append(f"ours {number}")
        return (float(number),)

    def bare(number: int) -> tuple[float]:
        order.append(f"bare {number}")
        return (10.0 * number,)

    (mine,), (other,) = interleaved(2, ours, bare, warm_up=1)
    assert order == ["bare 0", "ours 0", "ours 1", "bare 1", "bare 2", "ours 2"]
    assert (mine, other) == ([1.0, 2.0], [10.0, 20.0])


def test_of_several_sides_each_comes_before_every_other_as_often_as_after_it() -> None:
    order: list[tuple[int, str]] = []

    def side(name: str) -> Callable[[int], Sequence[float]]:
        def turn(number: int) -> Sequence[float]:
            order.append((number, name))
            return (float(number), 0.0)

        return turn

    names = "abc"
    told = in_turns(6, {name: side(name) for name in names}, warm_up=6)
    assert told["b"] == [[6.0, 7.0, 8.0, 9.0, 10.0, 11.0], [0.0] * 6]
    rounds = ["".join(name for n, name in order if n == number) for number in range(12)]
    assert {one[0] for one in rounds[:3]} == set(names)
    for first, second in combinations(names, 2):
        assert sum(one.index(first) < one.index(second) for one in rounds) == 6


def test_a_figure_may_compare_the_slowest_twentieth() -> None:
    times = [float(n) for n in range(1, 101)]
    figure = Figure(name="late", ours=[2 * t for t in times], bare=times, bar=1.3, at_p95=True)
    assert (figure.ratio, figure.ok, figure.told()["at"]) == (2.0, False, "p95")


def test_a_ratio_of_times_is_ours_to_bare_and_one_of_throughputs_the_other_way_round() -> None:
    slow = Figure(name="slow", ours=[2.0, 3.0, 99.0], bare=[2.0], bar=1.2)
    assert (slow.ratio, slow.ok) == (1.5, False)
    fast = Figure(name="fast", ours=[4.0], bare=[3.6], bar=0.8, throughput=True)
    assert (round(fast.ratio, 2), fast.ok) == (0.9, True)
    assert Figure(name="known", ours=[9.0], bare=[1.0]).ok


def test_the_table_tells_what_is_over_its_bar() -> None:
    lines = table([
        Figure(name="slow", ours=[3.0], bare=[2.0], bar=1.2),
        Figure(name="known", ours=[3.0], bare=[2.0]),
    ])  # fmt: skip
    assert [line.split()[-1] for line in lines] == ["bar", "over", "1.50"]
