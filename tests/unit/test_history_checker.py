from e2e.history import Write, faults


def test_a_history_that_happened_one_by_one_has_no_faults() -> None:
    history = [
        Write("a", 0, 0, 1, made=1),
        Write("a", 1, 1, 3, made=2),
        Write("a", 1, 1.5, 3.5, found=2),
        Write("b", 0, 2, 5, made=3),
    ]
    assert faults(history, clock=3) == []


def test_two_winners_on_one_guard_are_found() -> None:
    history = [Write("a", 0, 0, 1, made=1), Write("a", 0, 0, 1, made=2)]
    assert any("was granted on 0" in fault for fault in faults(history, clock=2))


def test_a_revision_given_out_twice_is_found() -> None:
    history = [Write("a", 0, 0, 1, made=1), Write("b", 0, 0, 1, made=1)]
    assert "a revision was given out twice" in faults(history, clock=1)


def test_a_lost_acknowledged_write_is_found() -> None:
    history = [Write("a", 0, 0, 1, made=1), Write("a", 1, 2, 3, made=2)]
    assert any("was lost" in fault for fault in faults(history, clock=1))


def test_a_gap_in_the_clock_is_found_unless_an_outcome_is_unknown() -> None:
    history = [Write("a", 0, 0, 1, made=1), Write("b", 0, 2, 3, made=3)]
    assert any("nobody made" in fault for fault in faults(history, clock=3))
    assert faults([*history, Write("c", 0, 0, 9)], clock=3, gaps_allowed=1) == []


def test_a_revision_against_the_order_of_time_is_found() -> None:
    history = [Write("a", 0, 5, 6, made=1), Write("b", 0, 1, 2, made=2)]
    assert any("ended before" in fault for fault in faults(history, clock=2))


def test_a_refusal_by_a_revision_that_did_not_stand_is_found() -> None:
    history = [
        Write("a", 0, 0, 1, made=1),
        Write("a", 1, 5, 6, made=2),
        Write("a", 9, 2, 3, found=2),
        Write("a", 9, 7, 8, found=1),
    ]
    assert len([f for f in faults(history, clock=2) if "did not stand" in f]) == 2
    assert faults([Write("a", 1, 0, 1, found=1)], clock=0)


def test_a_guard_granted_on_what_an_unknown_write_made_is_no_fault() -> None:
    history = [
        Write("a", 0, 0, 1, made=1),
        Write("a", 1, 2, 3),
        Write("a", 1, 4, 5, found=2),
        Write("a", 2, 6, 7, made=3),
    ]
    assert faults(history, clock=3, gaps_allowed=1) == []


def test_an_acknowledged_revision_passed_over_is_a_fault_also_beside_unknown_writes() -> None:
    history = [
        Write("a", 0, 0, 1, made=1),
        Write("a", 1, 2, 3, made=2),
        Write("a", 1, 4, 5, made=4),
        Write("b", 0, 4, 5),
    ]
    assert any("was granted on 1" in f for f in faults(history, clock=4, gaps_allowed=1))
