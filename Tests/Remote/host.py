"""A host of an index whose answers a test makes."""

import http.server
import os
import threading


def send(handler, status, body, fields):
    """Sends an answer; to the method HEAD without its body."""
    handler.send_response(status)
    for name, value in fields.items():
        handler.send_header(name.replace("_", "-"), value)
    if "Content_Length" not in fields:
        handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    if handler.command != "HEAD":
        handler.wfile.write(body)


class Host:
    """A host whose answers a function makes: the function gets the handler, and the bytes of the file or None."""

    def __init__(self, answer, folder):
        host = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # The body waits for no acknowledgement of the fields.
            disable_nagle_algorithm = True

            def do_GET(self):
                host.requests.append((self.path, dict(self.headers)))
                path = os.path.join(folder, self.path.lstrip("/").split("?")[0].replace("%25", "%"))
                try:
                    with open(path, "rb") as file:
                        content = file.read()
                except OSError:
                    content = None
                try:
                    answer(self, content)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, *_):
                pass

            def send(self, status, body, **fields):
                send(self, status, body, fields)

            def send_range(self, content, change=lambda body: body, **fields):
                """Answers as a good host does."""
                if content is None:
                    return self.send(404, b"not here")
                asked = self.headers.get("Range")
                if not asked:
                    return self.send(200, change(content), **fields)
                first, last = (int(number) for number in asked.removeprefix("bytes=").split("-"))
                last = min(last, len(content) - 1)
                return self.send(206, change(content[first:last + 1]),
                                 Content_Range=f"bytes {first}-{last}/{len(content)}", **fields)

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False

            def handle_error(self, *_):
                pass  # Tests have clients hang up.

        self.requests = []
        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        # Seconds between two checks whether the host must end.
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
