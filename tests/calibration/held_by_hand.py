"""Twenty tables small enough to work out on paper, for the function, the command line, the page and the gate.

Each example: ``rows`` of (human, score) or (human, score, group), human 1 pass, 0 fail, None without a verdict, score
None for unscored; ``costs`` of (a false pass, a false fail); ``counts`` at thresholds as (true pass, false pass,
false fail, true fail); ``optimal`` as the cheapest ranges (low, high], None for an end; ``recommended`` or, where it
is None, the ``refusal`` code.
"""

from __future__ import annotations

from typing import Any

HELD_BY_HAND: list[dict[str, Any]] = [
    {
        # .2 f | .6 p .9 p: any threshold in (.2, .6] is right everywhere; the middle is .4.
        "name": "one clean gap",
        "rows": [(0, 0.2), (1, 0.6), (1, 0.9)],
        "costs": (1, 1),
        "counts": {0.2: (2, 1, 0, 0), 0.4: (2, 0, 0, 1), 0.6: (2, 0, 0, 1), 0.7: (1, 0, 1, 1)},
        "optimal": [(0.2, 0.6)],
        "recommended": 0.4,
    },
    {
        # At .8 the tied fail and passes move together: 1 false pass and no false fail, or none and 2 false fails.
        "name": "ties at the threshold pass",
        "rows": [(0, 0.3), (0, 0.8), (1, 0.8), (1, 0.8), (1, 1.0)],
        "costs": (1, 1),
        "counts": {0.3: (3, 2, 0, 0), 0.8: (3, 1, 0, 1), 0.800000001: (1, 0, 2, 2), 1.0: (1, 0, 2, 2)},
        "optimal": [(0.3, 0.8)],
        "recommended": 0.6,  # the middle is .55; with one decimal .6, still below .8
    },
    {
        # The same with a false pass at 5: 5 against 2, so the threshold goes above the tie.
        "name": "ties that cost make it stricter",
        "rows": [(0, 0.3), (0, 0.8), (1, 0.8), (1, 0.8), (1, 1.0)],
        "costs": (5, 1),
        "counts": {0.8: (3, 1, 0, 1), 0.9: (1, 0, 2, 2)},
        "optimal": [(0.8, 1.0)],
        "recommended": 0.9,
    },
    {
        # f .2, p .4, f .6, p .8: (.2, .4] costs one false pass, (.6, .8] one false fail. The latter passes none.
        "name": "two optima apart",
        "rows": [(0, 0.2), (1, 0.4), (0, 0.6), (1, 0.8)],
        "costs": (1, 1),
        "counts": {0.4: (2, 1, 0, 1), 0.5: (1, 1, 1, 1), 0.7: (1, 0, 1, 2)},
        "optimal": [(0.2, 0.4), (0.6, 0.8)],
        "recommended": 0.7,
    },
    {
        # At .5 one fail and one pass are tied, so (.3, .5] and (.5, .9] both cost 1 at 1:1 and stay apart.
        "name": "neighbours of equal cost stay apart",
        "rows": [(0, 0.3), (0, 0.5), (1, 0.5), (1, 0.9), (1, 0.9)],
        "costs": (1, 1),
        "counts": {0.4: (3, 1, 0, 1), 0.5: (3, 1, 0, 1), 0.7: (2, 0, 1, 2)},
        "optimal": [(0.3, 0.5), (0.5, 0.9)],
        "recommended": 0.7,
    },
    {
        # (.7 + .7 + .7) / 3 is .6999999999999998, which passes .7 like the .7 beside it.
        "name": "float dust passes",
        "rows": [(0, 0.5), (1, (0.7 + 0.7 + 0.7) / 3), (1, 0.7)],
        "costs": (1, 1),
        "counts": {0.7: (2, 0, 0, 1), 0.700000001: (0, 0, 2, 1)},
        "optimal": [(0.5, 0.7)],
        "recommended": 0.6,
    },
    {
        # .1 + .2 is .30000000000000004: with dust it would part from .3, and (.3, .30000000000000004] be a range.
        "name": "float dust makes no range of its own",
        "rows": [(0, 0.3), (1, 0.1 + 0.2), (1, 0.5), (0, 0.1)],
        "costs": (1, 1),
        "counts": {0.3: (2, 1, 0, 1), 0.4: (1, 0, 1, 2)},
        "optimal": [(0.1, 0.3), (0.3, 0.5)],
        "recommended": 0.4,
    },
    {
        # The unscored fail and the unscored pass are neither errors nor cases: the sums are those of the first table.
        "name": "unscored cases are no fails",
        "rows": [(0, 0.2), (1, 0.6), (1, 0.9), (0, None), (1, None)],
        "costs": (1, 1),
        "counts": {0.0: (2, 1, 0, 0), 0.4: (2, 0, 0, 1), 1.0: (0, 0, 2, 1)},
        "optimal": [(0.2, 0.6)],
        "recommended": 0.4,
    },
    {
        # Without a verdict there is nothing to be right or wrong about.
        "name": "cases without a verdict are left out",
        "rows": [(0, 0.2), (1, 0.6), (1, 0.9), (None, 0.1), (None, 0.95)],
        "costs": (1, 1),
        "counts": {0.4: (2, 0, 0, 1)},
        "optimal": [(0.2, 0.6)],
        "recommended": 0.4,
    },
    {
        "name": "only passes",
        "rows": [(1, 0.2), (1, 0.6), (1, 0.9)],
        "costs": (5, 1),
        "counts": {0.5: (2, 0, 1, 0)},
        "optimal": [(None, 0.2)],
        "recommended": None,
        "refusal": "one_class",
    },
    {
        "name": "only fails",
        "rows": [(0, 0.2), (0, 0.6)],
        "costs": (5, 1),
        "counts": {0.5: (0, 1, 0, 1)},
        "optimal": [(0.6, None)],
        "recommended": None,
        "refusal": "one_class",
    },
    {
        # 3 passes and 1 fail, all at .5: pass all costs one false pass, pass none three false fails.
        "name": "one value",
        "rows": [(1, 0.5), (1, 0.5), (1, 0.5), (0, 0.5)],
        "costs": (1, 1),
        "counts": {0.5: (3, 1, 0, 0), 0.6: (0, 0, 3, 1)},
        "optimal": [(None, 0.5)],
        "recommended": None,
        "refusal": "one_value",
    },
    {
        # The judge has it backwards: pass all costs 1; (.1, .9] costs 3, pass none 2.
        "name": "passing all is cheapest",
        "rows": [(1, 0.1), (1, 0.1), (0, 0.9)],
        "costs": (1, 1),
        "counts": {0.1: (2, 1, 0, 0), 0.5: (0, 1, 2, 0)},
        "optimal": [(None, 0.1)],
        "recommended": None,
        "refusal": "pass_all",
    },
    {
        # Pass all costs 10, (.2, .7] 5, pass none 1.
        "name": "passing none is cheapest",
        "rows": [(0, 0.2), (0, 0.7), (1, 0.7)],
        "costs": (5, 1),
        "counts": {0.2: (1, 2, 0, 0), 0.7: (1, 1, 0, 1), 0.8: (0, 0, 1, 2)},
        "optimal": [(0.7, None)],
        "recommended": None,
        "refusal": "pass_none",
    },
    {
        # Both ends cost 1 and the range between costs 2: every optimum is at an end.
        "name": "all optimal at the ends",
        "rows": [(1, 0.2), (0, 0.8)],
        "costs": (1, 1),
        "counts": {0.2: (1, 1, 0, 0), 0.5: (0, 1, 1, 0), 0.9: (0, 0, 1, 1)},
        "optimal": [(None, 0.2), (0.8, None)],
        "recommended": None,
        "refusal": "pass_none",
    },
    {
        # (.4, .7] costs one false fail, like pass all's one false pass: no better than the end, so no threshold.
        "name": "an inner range as dear as passing all",
        "rows": [(0, 0.4), (1, 0.4), (1, 0.7), (1, 0.9)],
        "costs": (1, 1),
        "counts": {0.4: (3, 1, 0, 0), 0.7: (2, 0, 1, 1)},
        "optimal": [(None, 0.4), (0.4, 0.7)],
        "recommended": None,
        "refusal": "pass_all",
    },
    {
        # Nothing lies between .5 and .500000001, so the upper score itself is the threshold.
        "name": "neighbours at nine places",
        "rows": [(0, 0.5), (1, 0.500000001)],
        "costs": (1, 1),
        "counts": {0.5: (1, 1, 0, 0), 0.500000001: (1, 0, 0, 1)},
        "optimal": [(0.5, 0.500000001)],
        "recommended": 0.500000001,
    },
    {
        # A judge of yes and no: the threshold is half way.
        "name": "a judge of two values",
        "rows": [(0, 0.0), (0, 0.0), (1, 1.0), (1, 1.0), (0, 1.0), (1, 0.0)],
        "costs": (1, 1),
        "counts": {0.0: (3, 3, 0, 0), 0.5: (2, 1, 1, 2), 1.0: (2, 1, 1, 2)},
        "optimal": [(0.0, 1.0)],
        "recommended": 0.5,
    },
    {
        # Two conversations of two answers each: the counts are those of four cases, the intervals are none.
        "name": "grouped",
        "rows": [(0, 0.1, "A"), (1, 0.5, "A"), (0, 0.3, "B"), (1, 0.9, "B")],
        "costs": (2, 1),
        "counts": {0.3: (2, 1, 0, 1), 0.4: (2, 0, 0, 2), 0.6: (1, 0, 1, 2)},
        "optimal": [(0.3, 0.5)],
        "recommended": 0.4,
    },
    {
        # 5/9 to 4/7 and .6 to .625 in small: .6 is open, so two decimals are the fewest, and .6125 rounds to .61.
        "name": "the fewest decimals that stay inside",
        "rows": [(0, 0.5), (0, 0.6), (1, 0.625), (1, 0.8)],
        "costs": (5, 1),
        "counts": {0.6: (2, 1, 0, 1), 0.61: (2, 0, 0, 2), 0.625: (2, 0, 0, 2)},
        "optimal": [(0.6, 0.625)],
        "recommended": 0.61,
    },
]
