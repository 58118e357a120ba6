from benchmarks.measuring import Figure, interleaved, table


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
