"""Write `addresses.txt`, the addresses that the demo delivers to: the same bytes on every machine and every run.

python tests/demo/make_addresses.py [--count 12000] [--seed 2024] [--output tests/demo/addresses.txt]
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from typing import TypeVar

COUNT = 12_000
SEED = 2024
OUTPUT = Path(__file__).resolve().parent / "addresses.txt"

STREETS = (
    "Acorn",
    "Alder",
    "Bakehouse",
    "Birch",
    "Bridge",
    "Brook",
    "Canal",
    "Castle",
    "Cedar",
    "Chapel",
    "Cherry",
    "Church",
    "Clay",
    "Copper",
    "Elm",
    "Ferry",
    "Foundry",
    "Garden",
    "Glass",
    "Granary",
    "Harbour",
    "Hazel",
    "Heron",
    "Hill",
    "Jasmine",
    "Juniper",
    "Kiln",
    "Lantern",
    "Linden",
    "Maple",
    "Market",
    "Meadow",
    "Mill",
    "Minster",
    "Oak",
    "Orchard",
    "Otter",
    "Pepper",
    "Poplar",
    "Quarry",
    "Quay",
    "River",
    "Rowan",
    "Saddler",
    "Salt",
    "Spring",
    "Station",
    "Tanner",
    "Thistle",
    "Tower",
    "Walnut",
    "Weaver",
    "Willow",
    "Windmill",
)
KINDS = ("Street", "Road", "Lane", "Avenue", "Square", "Court", "Row", "Walk")
TOWNS = (
    "Aldersea",
    "Brackenford",
    "Châtelard",
    "Dunmore",
    "Eastmarch",
    "Fårösund",
    "Grünwald",
    "Hollowbridge",
    "Inverloch",
    "Jarrowby",
    "Kestrel Bay",
    "Larkhaven",
    "Málaga Alta",
    "Northmoor",
    "Østerby",
    "Pinnacle",
    "Quillon",
    "Ravenscar",
    "Stonewick",
    "Thornaby",
    "Upper Vale",
    "Whitcombe",
    "Yarrow",
    "Zennor",
)

T = TypeVar("T")


def addresses(count: int, seed: int) -> list[str]:
    """`count` different addresses, such as "17 Linden Lane, Northmoor 40213"."""
    source = random.Random(seed)

    def below(bound: int) -> int:
        return int(source.random() * bound)  # random() is the one method whose values Python promises to keep

    def one_of(choices: tuple[T, ...]) -> T:
        return choices[below(len(choices))]

    found: dict[str, None] = {}
    while len(found) < count:
        town = below(len(TOWNS))
        line = (
            f"{1 + below(240)} {one_of(STREETS)} {one_of(KINDS)}, {TOWNS[town]} {10_000 + 1_000 * town + below(1_000)}"
        )
        found[line] = None
    return list(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    text = "".join(f"{line}\n" for line in addresses(options.count, options.seed))
    options.output.write_bytes(text.encode("utf-8"))


if __name__ == "__main__":
    main()
