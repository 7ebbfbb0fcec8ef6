"""Access control: only requests that are shown to come from our own page are let in.

A page of another site that reaches this machine (DNS rebinding) has another Host. One on another port of this
machine counts as the same site to cookies, but has another Origin and says so in Sec-Fetch-Site. A program
of another user has no cookie. Each check is for all routes: files of the page and the event stream as well.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from netveil.web.requests import DEFECT, TEXTS, WebError, error_answer

MOST_TOKENS = 8  # that wait to be used


class Session:
    """Secret that a browser gets as a cookie in exchange for a token, which works once."""

    def __init__(self, port: int) -> None:
        self.port = port
        # Cookies do not know ports: another server on this machine must not overwrite ours.
        self.cookie_name = f"netveil-{port}"
        self._secret = secrets.token_urlsafe(32)
        self._tokens: list[str] = []
        self.on_use: Callable[[], None] = lambda: None

    def new_token(self) -> str:
        """Make a token for one browser; of too many unused ones, the oldest are forgotten."""
        token = secrets.token_urlsafe(24)
        self._tokens = [*self._tokens[1 - MOST_TOKENS :], token]
        return token

    def use_up(self, token: str) -> bool:
        """Whether a token was made and not used yet; from now on it is used."""
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


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; font-src 'self'; frame-src 'self'; worker-src 'self'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'self'"
)
POLICY_OF_REPORTS = (
    "sandbox allow-modals; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'self'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
REFUSED = 403
READING = ("GET", "HEAD")  # what changes nothing


class Guard:
    """Wraps the application: checks each request, and puts the headers on each answer."""

    def __init__(self, app: ASGIApp, session: Session) -> None:
        self.app, self.session = app, session
        suffixes = (f":{session.port}", "") if session.port == 80 else (f":{session.port}",)
        self.hosts = {
            f"{name}{suffix}" for name in ("127.0.0.1", "localhost", "[::1]") for suffix in suffixes
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return None
        begun = False

        async def guarded_send(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            answer = self._answer_at_the_door(scope)
            if answer is not None and answer.status_code == REFUSED:
                answer.headers["Connection"] = "close"  # whatever they still send, nobody waits for it
            await (self.app if answer is None else answer)(scope, receive, guarded_send)
        except Exception:  # a defect of ours: its text may hold a label, so nobody logs it
            if os.environ.get("NETVEIL_DEBUG"):
                raise
            if not begun:
                await error_answer(DEFECT)(scope, receive, guarded_send)
        return None

    def _answer_at_the_door(self, scope: Scope) -> Response | None:
        """Answer to a request that is not let in; None for one that is."""
        headers, path, method = Headers(scope=scope), scope["path"], scope["method"]
        hosts = headers.getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return _refused("This server answers under 127.0.0.1 and localhost only.")
        host = hosts[0].lower()
        site = headers.get("sec-fetch-site")
        is_door = path == "/" and method in READING
        if site not in (None, "same-origin", "none") and not is_door:
            return _refused("This request comes from another site.")
        if method not in READING and headers.getlist("origin") != [f"http://{host}"]:
            return _refused("This request does not come from the page.")
        if is_door:
            token = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
            if token and self.session.use_up(token):
                return _let_in(site, self.session.set_cookie())
        cookie = cookie_parser(headers.get("cookie", "")).get(self.session.cookie_name)
        if self.session.is_ours(cookie):
            return RedirectResponse("/", status_code=303) if is_door and scope.get("query_string") else None
        if is_door:
            return HTMLResponse(TEXTS["doors"]["not_let_in"], status_code=REFUSED)
        return _refused("Open the address that netveil web printed.")


def _let_in(site: str | None, cookie: str) -> Response:
    """Give the cookie, and lead to the page without the token.

    Of whoever comes from elsewhere, such as from the file that opens the browser, a redirect would not bring
    the strict cookie along; a page of our own does.
    """
    if site in (None, "same-origin", "none"):
        return RedirectResponse("/", status_code=303, headers={"Set-Cookie": cookie})
    return HTMLResponse(TEXTS["doors"]["let_in"], headers={"Set-Cookie": cookie})


def _refused(message: str) -> Response:
    return error_answer(WebError("refused", message))
