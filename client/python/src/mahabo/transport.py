"""Requests to a server, repeated while it cannot be reached."""

from __future__ import annotations

import http.client
import ipaddress
import json
import random
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, Mapping

from .convert import encode
from .errors import ConnectionFailed, problem

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_BUSY = (429, 502, 503, 504)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the token to wherever it points."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


class Transport:
    """One server. It may be used from several threads."""

    def __init__(
        self,
        url: str,
        token: str | None,
        timeout: float,
        patience: float,
        wait: float,
        context: ssl.SSLContext | None,
    ) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url is {url!r}: write it as http://HOST:PORT or https://HOST")
        self.url = url.rstrip("/")
        self._patience = patience
        self._wait = wait
        self._answered = False  # the server, to any request
        self._token = (token or "").strip()  # one that is read from a file ends a line
        if not all("!" <= c <= "~" for c in self._token):
            raise ValueError("the token has characters that none has: give the one line that mahabo token create printed")
        self._timeout = timeout
        handlers: list[urllib.request.BaseHandler] = [_NoRedirect()]
        if context is not None:
            handlers.append(urllib.request.HTTPSHandler(context=context))
        if _is_local(parts.hostname):
            handlers.append(urllib.request.ProxyHandler({}))
        self._opener = urllib.request.build_opener(*handlers)

    def json(
        self, method: str, path: str, body: Any = None, query: Mapping[str, Any] | None = None, *, repeat: bool = True
    ) -> Any:
        """Send a request and return the answer's document.

        Without repeat it is sent again only when it cannot have arrived.
        """
        data = None if body is None else encode(body)
        answer = self.send(method, path, data, "application/json", query, repeat=repeat)
        return json.loads(answer) if answer else None

    def send(
        self,
        method: str,
        path: str,
        data: bytes | None = None,
        content_type: str = "application/json",
        query: Mapping[str, Any] | None = None,
        *,
        repeat: bool = True,
    ) -> bytes:
        """Send a request and return the bytes of the answer."""
        url = self.url + path
        if query:
            url += "?" + urllib.parse.urlencode(query, doseq=True)
        end = 0.0  # of the patience, which begins with the first failure
        pause = _FIRST_PAUSE
        while True:
            try:
                content = self._once(method, url, data, content_type)
                self._answered = True
                return content
            except urllib.error.HTTPError as e:
                self._answered = True
                error: Exception = _explain(e)
                again, wait = repeat and e.code in _BUSY, _retry_after(e)
            except (OSError, http.client.HTTPException) as e:
                reason = e.reason if isinstance(e, urllib.error.URLError) else e
                error = ConnectionFailed(f"{method} {url}: {reason}" if self._answered else _nobody(self.url, reason))
                error.__cause__ = e
                again, wait = _can_pass(reason) and (repeat or isinstance(reason, ConnectionRefusedError)), 0.0
            end = end or time.monotonic() + (self._patience if self._answered else self._wait)
            wait = max(wait, pause * random.uniform(0.5, 1.0))
            if not again or time.monotonic() + wait > end:
                raise error
            time.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _once(self, method: str, url: str, data: bytes | None, content_type: str) -> bytes:
        headers = {"Accept": "application/json, application/problem+json, */*", "User-Agent": "mahabo-python"}
        if data is not None:
            headers["Content-Type"] = content_type
        if self._token:
            headers["Authorization"] = "Bearer " + self._token
        request = urllib.request.Request(url, data=data, headers=headers, method=method)
        with self._opener.open(request, timeout=self._timeout) as answer:
            content: bytes = answer.read()
            return content


def _is_local(host: str) -> bool:
    """Say whether a proxy cannot be meant for the host."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _nobody(url: str, reason: object) -> str:
    return f"no server answers at {url} ({reason}): start one with mahabo serve, or check the address"


def _can_pass(reason: object) -> bool:
    """Say whether an error may be gone later: not one of certificates."""
    return not isinstance(reason, ssl.SSLCertVerificationError)


def _retry_after(e: urllib.error.HTTPError) -> float:
    try:
        return float(e.headers.get("Retry-After") or 0)
    except ValueError:
        return 0.0


def _explain(e: urllib.error.HTTPError) -> Exception:
    with e:
        try:
            document = json.loads(e.read())
        except (ValueError, OSError, http.client.HTTPException):
            document = None
    if not isinstance(document, dict):
        document = {"title": e.reason, "detail": "the answer is not one of mahabo serve: check the url"}
    return problem(e.code, document)
