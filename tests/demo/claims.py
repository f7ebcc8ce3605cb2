"""What the demo claims, one sentence each, and whether it was true."""

from __future__ import annotations

from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text


@dataclass
class Claims:
    """Collects claims as they are tried and prints each; the untrue ones decide how the demo ends."""

    console: Console
    tried: int = 0
    untrue: list[str] = field(default_factory=list)

    def check(self, claim: str, is_true: bool, found: object = "") -> None:
        """Print a claim with its mark; `found` says what was seen instead when it is untrue."""
        self.tried += 1
        if is_true:
            self.console.print(Text("  ✓ ", style="green") + Text(claim), soft_wrap=True)
            return
        sentence = f"{claim} - found: {found}" if found != "" else claim
        self.untrue.append(sentence)
        self.console.print(Text("  ✗ ", style="bold red") + Text(sentence), soft_wrap=True)

    def same(self, claim: str, found: object, expected: object) -> None:
        """Claim that two things are equal."""
        self.check(claim, found == expected, f"{_short(found)}, expected {_short(expected)}")

    def conclude(self) -> int:
        """Print the end and give the exit code: 0 when there were claims and all were true, else 1."""
        self.console.print()
        if self.tried and not self.untrue:
            self.console.print(Text(f"All {self.tried} claims were true.", style="bold green"))
            return 0
        self.console.print(Text(f"{len(self.untrue)} of {self.tried} claims were not true:", style="bold red"))
        for sentence in self.untrue:
            self.console.print(Text(f"  - {sentence}"), soft_wrap=True)
        return 1


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 120 else f"{text[:117]}..."
