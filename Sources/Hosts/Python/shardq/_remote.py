"""The files of an index of a URL: fetches the bytes that the C library names."""

import base64
import ctypes
import http.client
import queue
import re
import socket
import threading
import time
import urllib.parse
from typing import Any, Dict, List, NamedTuple, Optional, Set, Tuple

from . import _library
from ._errors import refused
from ._version import __version__

#: The longest silence of a host, and the longest time until the next request of a question ends, in seconds.
SILENCE, PATIENCE = 5.0, 60.0
#: The wait before the second attempt of a request, in seconds.
_PAUSE = 0.25
_IN_FLIGHT = 6
_REDIRECTS = 5
#: The largest file that a host may send whole in place of a range: FetchPlan.swift.
_UNRANGED = 1 << 20
_CHUNK = 64 << 10


class _Want(NamedTuple):
    name: str
    first: int
    end: int
    #: The size of the file; -1 if it is unknown.
    size: int
    is_fresh: bool


class _Failure(Exception):
    """The reason why a host gave no bytes; ``may_pass`` if another attempt may succeed."""

    def __init__(self, reason: str, may_pass: bool = False, status: int = _library.SYSTEM) -> None:
        super().__init__(reason)
        self.may_pass, self.status = may_pass, status


class _Round:
    """Requests side by side: their connections, and whether nothing waits for them any more."""

    def __init__(self) -> None:
        self.active: Set[http.client.HTTPConnection] = set()
        self.is_over = False

    def end(self) -> None:
        """Ends the requests that are still under way, whose threads would wait for their hosts."""
        self.is_over = True
        for connection in list(self.active):
            try:
                if connection.sock is not None:
                    connection.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class Remote:
    """The host of an index. ``shown`` is the URL without user, password and query, for messages."""

    def __init__(self, url: str) -> None:
        if not url.isprintable() or " " in url or len(url) > 4096:
            raise refused("the URL has a space or a control character, or over 4,096 characters")
        try:
            parts = urllib.parse.urlsplit(url)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if not host or parts.scheme not in ("http", "https"):
            raise refused("this package opens URLs such as https://host/cities/; the command shardq-remote opens those of S3")
        self.is_archive = parts.path.endswith(".shardq")
        path = urllib.parse.quote(parts.path, safe="/%:@!$&'()*+,;=~")
        if not self.is_archive and not path.endswith("/"):
            path += "/"
        name = f"[{host}]" if ":" in host else host
        self._origin = (parts.scheme, name if port is None else f"{name}:{port}")
        self.shown = "://".join(self._origin) + path
        self._query = "?" + urllib.parse.quote(parts.query, safe="/%:@!$&'()*+,;=~?") if parts.query else ""
        self._authorization: Optional[str] = None
        if parts.username is not None:
            user = urllib.parse.unquote(parts.username) + ":" + urllib.parse.unquote(parts.password or "")
            self._authorization = "Basic " + base64.b64encode(user.encode()).decode()
        self._idle: Dict[Tuple[str, str], List[http.client.HTTPConnection]] = {}
        self._given: List[Any] = []
        #: The error that ended a fetch in this process, such as a KeyboardInterrupt.
        self.raised: Optional[BaseException] = None
        #: The function for the C library, which stays as long as this value.
        self.function = _library.FETCH(self._fetch)

    def check(self) -> None:
        """Raises the error that ended a fetch."""
        raised, self.raised = self.raised, None
        if raised is not None:
            raise raised

    def close(self) -> None:
        idle, self._idle = self._idle, {}
        for connections in idle.values():
            for connection in connections:
                connection.close()

    # The C library's calls

    def _fetch(self, _: Any, requests: Any, count: int) -> None:
        wants = [
            _Want(each.name.decode("utf-8", "replace"), each.first, each.end, each.size, each.is_fresh != 0)
            for each in requests[:count]]
        try:
            results = [_Failure("another fetch was interrupted")] * count if self.raised else self._all(wants)
        except BaseException as error:
            # ctypes would print the error. The call of the library ends, and then raises it.
            self.raised, results = error, [_Failure("the fetch was interrupted")] * count
        self._given = []
        for request, result in zip(requests[:count], results):
            if isinstance(result, _Failure):
                given = str(result).encode("utf-8", "replace")
                request.status, request.message = result.status, given
            else:
                given, request.size = result
                request.status, request.count = 0, len(given)
                request.bytes = ctypes.cast(ctypes.c_char_p(given), ctypes.c_void_p)
            # The C library reads the bytes until its next call.
            self._given.append(given)

    def _all(self, wants: List[_Want]) -> List[Any]:
        """The results of requests side by side: the bytes and the size of the file, or a _Failure."""
        done: "queue.SimpleQueue[Tuple[int, Any]]" = queue.SimpleQueue()
        left = list(reversed(range(len(wants))))
        round = _Round()

        def work() -> None:
            try:
                while True:
                    number = left.pop()
                    try:
                        result: Any = self._patiently(wants[number], round)
                    except _Failure as failure:
                        result = failure
                    except Exception as error:  # A bug, or a lack of memory.
                        result = _Failure(f"{type(error).__name__}: {error}")
                    done.put((number, result))
            except IndexError:
                pass

        late = _Failure(f"the host did not answer within {PATIENCE:g} seconds")
        results: List[Any] = [late] * len(wants)
        try:
            for _ in range(min(_IN_FLIGHT, len(wants))):
                # A program that ends does not wait for a host.
                threading.Thread(target=work, name="shardq", daemon=True).start()
            for _ in wants:
                number, result = done.get(timeout=PATIENCE)
                results[number] = result
        except queue.Empty:
            pass
        finally:
            left.clear()
            round.end()
        return results

    # A request

    def _patiently(self, want: _Want, round: _Round) -> Tuple[bytes, int]:
        for is_last in (False, True):
            try:
                return self._attempt(want, round)
            except _Failure as failure:
                if is_last or round.is_over or not failure.may_pass:
                    raise
            except (OSError, http.client.HTTPException) as error:
                if is_last or round.is_over or _is_final(error):
                    raise _Failure(_reason(error)) from None
            time.sleep(_PAUSE)
        raise AssertionError

    def _attempt(self, want: _Want, round: _Round) -> Tuple[bytes, int]:
        origin = self._origin
        target = urllib.parse.urlsplit(self.shown).path + urllib.parse.quote(want.name, safe="") + self._query
        for _ in range(_REDIRECTS + 1):
            idle = self._idle.setdefault(origin, [])
            try:
                connection = idle.pop()
            except IndexError:
                kind = http.client.HTTPSConnection if origin[0] == "https" else http.client.HTTPConnection
                connection = kind(origin[1], timeout=SILENCE)
            round.active.add(connection)
            is_kept = False
            try:
                if round.is_over:
                    raise _Failure("the fetch has ended")
                connection.request("GET", target, headers=self._headers(want, origin))
                response = connection.getresponse()
                if response.status not in (301, 302, 303, 307, 308):
                    result = _checked(response, want)
                    is_kept = not response.will_close and response.isclosed()
                    return result
                origin, target = _redirected(response.getheader("Location"), origin, target)
            finally:
                round.active.discard(connection)
                if is_kept and len(idle) < _IN_FLIGHT:
                    idle.append(connection)
                else:
                    connection.close()
        raise _Failure(f"the host redirects over {_REDIRECTS} times")

    def _headers(self, want: _Want, origin: Tuple[str, str]) -> Dict[str, str]:
        fields = {"Range": f"bytes={want.first}-{want.end - 1}", "Accept-Encoding": "identity",
                  "User-Agent": f"shardq/{__version__}"}
        if want.is_fresh:
            fields["Cache-Control"] = "no-cache"
        # Another host gets no password.
        if self._authorization is not None and origin == self._origin:
            fields["Authorization"] = self._authorization
        return fields


def _redirected(location: Optional[str], origin: Tuple[str, str], target: str) -> Tuple[Tuple[str, str], str]:
    try:
        parts = urllib.parse.urlsplit(urllib.parse.urljoin("://".join(origin) + target, location or ""))
        host = parts.netloc.rpartition("@")[2]
    except ValueError:
        raise _Failure("the host redirects to a text that is no URL") from None
    if not location:
        raise _Failure("the host redirects, but gives no URL")
    if parts.scheme not in ("http", "https") or not host:
        raise _Failure("the host redirects to a URL that is neither http nor https")
    if origin[0] == "https" and parts.scheme == "http":
        raise _Failure("the host redirects from https to http")
    path = urllib.parse.quote(parts.path or "/", safe="/%:@!$&'()*+,;=~")
    query = "?" + urllib.parse.quote(parts.query, safe="/%:@!$&'()*+,;=~?") if parts.query else ""
    return (parts.scheme, host), path + query


def _checked(response: http.client.HTTPResponse, want: _Want) -> Tuple[bytes, int]:
    """The wanted bytes of an answer, and the size of the file."""
    status = response.status
    if status in (404, 410):
        raise _Failure("there is no such file", status=_library.NOT_FOUND)
    if status in (412, 416):
        # An empty file has no range.
        raise _Failure("the file is shorter", status=_library.NOT_FOUND if want.size < 0 else _library.CHANGED)
    if status not in (200, 206):
        raise _Failure(f"the host answers with status {status}", may_pass=status in (408, 429) or status >= 500)
    encoding = response.getheader("Content-Encoding", "identity")
    if encoding.lower() != "identity":
        raise _Failure(f"the host compresses the file ({encoding[:32]!a}); turn that off for files of the index")
    if status == 206:
        found = re.fullmatch(r"bytes ([0-9]{1,15})-([0-9]{1,15})/([0-9]{1,15})", response.getheader("Content-Range", ""))
        first, last, size = map(int, found.groups()) if found else (-1, -1, -1)
        if first != want.first or last + 1 != min(want.end, size):
            raise _Failure("the host sent the wrong bytes of the file", may_pass=True)
        content = _body(response, last + 1 - first, "the host sent more bytes than the request asked for")
        if len(content) != last + 1 - first:
            raise _Failure("the host sent a part of the answer", may_pass=True)
    else:
        limit = max(_UNRANGED, want.end - want.first if want.first == 0 else 0)
        content = _body(response, limit, f"the host cannot send a part of a file, and the file has over {limit} bytes")
        if response.length:
            raise _Failure("the host sent a part of the answer", may_pass=True)
        size = len(content)
        content = content[want.first:want.end]
    if want.first == 0 and content.lstrip()[:1] == b"<":
        raise _Failure("the host answers with an HTML page, perhaps a login page")
    # The C library compares the sizes.
    return content, size


def _body(response: http.client.HTTPResponse, limit: int, said: str) -> bytes:
    content = bytearray()
    while len(content) <= limit:
        piece = response.read(min(_CHUNK, limit + 1 - len(content)))
        if not piece:
            return bytes(content)
        content += piece
    raise _Failure(said)


def _is_final(error: BaseException) -> bool:
    return isinstance(error, (http.client.InvalidURL, http.client.UnknownProtocol)) or "CERTIFICATE" in str(error)


def _reason(error: BaseException) -> str:
    if isinstance(error, socket.timeout):
        return f"the host did not answer within {SILENCE:g} seconds"
    if isinstance(error, socket.gaierror):
        return "the name of the host cannot be resolved"
    if isinstance(error, ConnectionRefusedError):
        return "the host accepts no connection"
    if "CERTIFICATE" in str(error):
        return "the host's certificate is not valid for it"
    if isinstance(error, (http.client.IncompleteRead, http.client.RemoteDisconnected, ConnectionError)):
        return "the host ended the connection"
    if isinstance(error, http.client.HTTPException):
        return f"the host does not speak HTTP as this package does ({type(error).__name__}: {error!s:.200})"
    return f"{getattr(error, 'strerror', None) or error}"
