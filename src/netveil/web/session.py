"""Who may use the page: whoever opened an address with a token that was not used before."""

from __future__ import annotations

import secrets
from collections.abc import Callable

MOST_TOKENS = 8  # that wait to be used


class Session:
    """The secret that a browser gets as a cookie for a token, which is used up by that."""

    def __init__(self, port: int) -> None:
        # Cookies do not know ports: another server on this machine must not overwrite ours.
        self.cookie_name = f"netveil-{port}"
        self._secret = secrets.token_urlsafe(32)
        self._tokens: list[str] = []
        self.on_use: Callable[[], None] = lambda: None

    def new_token(self) -> str:
        """A token for one browser; of too many that wait, the oldest are forgotten."""
        token = secrets.token_urlsafe(24)
        self._tokens = [*self._tokens[1 - MOST_TOKENS :], token]
        return token

    def use_up(self, token: str) -> bool:
        """Whether a token is one that waits; it does so no longer."""
        for known in self._tokens:
            if secrets.compare_digest(known.encode(), token.encode()):
                self._tokens.remove(known)
                self.on_use()
                return True
        return False

    def is_ours(self, cookie: str | None) -> bool:
        """Whether a browser has shown the secret."""
        return cookie is not None and secrets.compare_digest(self._secret.encode(), cookie.encode())

    def set_cookie(self) -> str:
        """The header that gives a browser the secret: no script can read it, no other site can send it."""
        return f"{self.cookie_name}={self._secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=2592000"
