"""Who is let in: nobody without the cookie, from another host or another site; on every route there is."""

from __future__ import annotations

from pathlib import Path

import pytest
from over_http import BASE, PORT, client_of, state_in
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from netveil.web.guard import MOST_TOKENS, POLICY, POLICY_OF_REPORTS, Session
from netveil.web.routes import routes

ID = "0123456789abcdef"
CALLS = sorted(
    (method, route.path.replace("{id}", ID).replace("{node:int}", "1").replace("{name:path}", "index.html"))
    for route in routes
    for method in (route.methods or set()) - {"HEAD"}
)
CHANGING = [(method, path) for method, path in CALLS if method != "GET"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> TestClient:
    """One that was let in."""
    return client_of(state_in(tmp_path_factory.mktemp("guard")))


def test_there_are_routes_of_every_kind() -> None:
    """The tests below would pass on an empty list."""
    assert {"/", "/page/index.html", "/api/events", "/api/state", f"/api/releases/{ID}/private.zip"} <= {
        path for _, path in CALLS
    }
    assert {method for method, _ in CALLS} == {"GET", "POST", "DELETE"}
    assert len(CHANGING) > 15


@pytest.mark.parametrize(("method", "path"), CALLS)
def test_every_route_is_guarded(method: str, path: str, browser: TestClient) -> None:
    """By cookie, host, origin and site: nobody is let in with one of them wrong, everybody with all right."""
    stranger = TestClient(browser.app, base_url=BASE, follow_redirects=False)
    for cookie in ("", f"netveil-{PORT}=wrong", f"netveil-{PORT}=a; netveil-{PORT}=b"):
        refused = stranger.request(method, path, headers={"Origin": BASE, "Cookie": cookie})
        assert refused.status_code == 403
        assert refused.headers["Content-Security-Policy"] == POLICY
    # To the browser, a page of a rebound name is of one origin with ours.
    for host in ("evil.example:4711", "127.0.0.1", "127.0.0.1:80", "localhost.evil.example:4711", "[", ""):
        headers = {"Host": host, "Origin": f"http://{host}"}
        assert browser.request(method, path, headers=headers).status_code == 403
    # Cookies take another port of this machine for the same site.
    for origin in (
        "https://evil.example",
        "http://127.0.0.1:4712",
        "http://localhost:4711",
        "null",
        "",
        None,
    ):
        request = browser.build_request(method, path, headers={} if origin is None else {"Origin": origin})
        if origin is None:
            del request.headers["Origin"]
        if method != "GET":
            refused = browser.send(request)
            assert (refused.status_code, refused.json()["error"]["kind"]) == (403, "refused")
    for site in ("cross-site", "same-site"):  # a link to the page itself may come from anywhere
        answer = browser.request(method, path, headers={"Sec-Fetch-Site": site})
        assert answer.status_code == (200 if path == "/" else 403)
    if path not in ("/api/events", "/api/quit"):
        answer = browser.request(method, path, headers={"Sec-Fetch-Site": "same-origin"})
        assert answer.status_code in (200, 404, 409, 422)


def test_a_request_has_one_host(browser: TestClient) -> None:
    """Of two, others than we may look at the second; without one, nobody knows whom it was sent to."""
    ours = ("Host", f"127.0.0.1:{PORT}")
    for hosts in ([ours, ("Host", "evil.example:4711")], [ours, ours]):
        refused = browser.get("/api/state", headers=hosts)
        assert refused.status_code == 403


def test_of_many_unused_tokens_the_oldest_are_forgotten() -> None:
    """A few work, each for one browser."""
    session = Session(PORT)
    tokens = [session.new_token() for _ in range(MOST_TOKENS + 1)]

    assert [session.use_up(token) for token in tokens] == [False, *[True] * MOST_TOKENS]


def test_every_name_of_this_machine_is_ours(tmp_path: Path) -> None:
    """127.0.0.1, localhost and [::1], each with our port, and each its own origin."""
    state = state_in(tmp_path)
    for host in ("127.0.0.1", "localhost", "[::1]"):
        address = f"http://{host}:{PORT}"
        client = client_of(state, let_in=False)
        client.headers["Host"] = f"{host}:{PORT}"
        cookie = client.get(f"/?token={state.session.new_token()}").headers["set-cookie"].partition(";")[0]
        answer = client.post("/api/address", headers={"Origin": address, "Cookie": cookie}, json={})
        assert answer.status_code == 200


def test_a_token_works_once(tmp_path: Path) -> None:
    """It becomes a cookie that no script can read and no other site can send, and the address is cleaned."""
    state = state_in(tmp_path)
    client, path = client_of(state, let_in=False), state.address.removeprefix(BASE)

    first = client.get(path)
    assert (first.status_code, first.headers["location"]) == (303, "/")
    cookie = first.headers["set-cookie"]
    assert all(word in cookie for word in ("HttpOnly", "SameSite=Strict", "Path=/"))
    assert client_of(state, let_in=False).get(path).status_code == 403
    assert client.get(path).status_code == 303  # whoever has the cookie just loses the token
    assert "set-cookie" not in client.get(path).headers
    wrong = client_of(state, let_in=False).get("/?token=guessed")
    assert (wrong.status_code, "netveil web" in wrong.text) == (
        403,
        True,
    ) and "set-cookie" not in wrong.headers
    client.headers["Origin"] = BASE
    other = client.post("/api/address", json={}).json()["address"].removeprefix(BASE)
    assert client_of(state, let_in=False).get(other).status_code == 303, "an address for another browser"


def test_answers_carry_the_headers(browser: TestClient) -> None:
    """No inline script, no guessing of types, no frames elsewhere, nothing kept, nothing told to others."""
    for path in ("/", "/api/state", "/page/nothing"):
        headers = browser.get(path).headers
        assert headers["Content-Security-Policy"] == POLICY
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"
    for forbidden in ("unsafe-inline", "unsafe-eval", "http:", "https:", "*"):
        assert forbidden not in POLICY
    assert POLICY_OF_REPORTS.startswith("sandbox ") and "allow-scripts" not in POLICY_OF_REPORTS


def test_sockets_are_refused(browser: TestClient) -> None:
    """There are none."""
    with pytest.raises(WebSocketDisconnect), browser.websocket_connect("/api/events"):
        pass


def test_a_path_leads_nowhere_else(browser: TestClient) -> None:
    """Only files of the page are served, and only ids open anything, on every route that takes one."""
    outside = ("../guard.py", "..%2fguard.py", "%2e%2e/guard.py", "....//guard.py", "/etc/passwd")
    for name in (*outside, "index.html%00", ".", ""):
        assert browser.get(f"/page/{name}").status_code == 404
    for name in ("..", "%2e%2e%2f%2e%2e", "0123456789ABCDEF", "0123456789abcde", "x" * 16):
        for method, path in CALLS:
            if ID in path:
                body = b"{}" if method == "POST" else None
                answer = browser.request(method, path.replace(ID, name), content=body)
                assert answer.status_code in (403, 404), path


def test_a_defect_tells_nobody_anything(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The text of an exception may name a person: it is neither answered nor logged."""
    state = browser.app.app.state.page  # type: ignore[attr-defined]

    def fail() -> None:
        raise RuntimeError("Zebediah is in the way")

    monkeypatch.setattr(state, "document", fail)
    answer = browser.get("/api/state")

    assert (answer.status_code, answer.json()["error"]["kind"]) == (500, "defect")
    assert "Zebediah" not in answer.text + caplog.text
