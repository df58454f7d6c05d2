"""Somebody who annotates in a real browser."""

from __future__ import annotations

from typing import Any


class Person:
    """Somebody with a browser of their own; a script's error in it fails the test."""

    def __init__(self, browser: Any, address: str, name: str) -> None:
        self.page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
        self.errors: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(address)
        self.page.get_by_label("Your name").fill(name)
        self.page.keyboard.press("Enter")
        self.ready()

    def ready(self) -> None:
        self.page.locator("#status", has_text="All stored").wait_for()
        self.page.locator("#place", has_text="Item").wait_for()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def choose(self, first: str, words: int = 1) -> None:
        """Moves the cursor to a word of the summary by the arrow keys, and over words from it."""
        self.page.locator("#summary").focus()
        self.press("Home")
        texts = self.page.locator("#summary [data-word]").all_inner_texts()
        self.press(*["ArrowRight"] * texts.index(first), *["Shift+ArrowRight"] * (words - 1))

    def at(self, item: int) -> None:
        self.page.locator("#place", has_text=f"Item {item} of").wait_for()
        self.ready()

    def marks(self) -> list[str]:
        texts: list[str] = self.page.locator(".marks .quote").all_inner_texts()
        return [text.strip("“”") for text in texts]
