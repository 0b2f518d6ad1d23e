"""Runs nginx on loopback as a host of files, with a log whose requests the tests count."""

import http.client
import pathlib
import shutil
import socket
import subprocess
import time
import typing

TYPES = "text/html html; text/javascript js; application/wasm wasm;"


def executable():
    """The path of an nginx, or None. Debian has it on root's search path alone."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class Request(typing.NamedTuple):
    """The words of a line of the log. An absent header is a hyphen; `size` is the bytes of the answer's body."""

    port: str
    status: str
    path: str
    range: str
    size: str
    encoding: str


class Nginx:
    """A host of the folder `root`. Each of `servers` is the text of a server's block, which gets an origin of its own."""

    def __init__(self, directory, root, servers=("",)):
        self.directory = pathlib.Path(directory)
        self.log = self.directory / "requests.log"
        self.read = self.marks = 0
        ports = free_ports(len(servers))
        self.origins = [f"http://127.0.0.1:{port}" for port in ports]
        places = " ".join(f"{name}_temp_path {self.directory}/{name};" for name in (
            "client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        blocks = "\n".join(
            f"server {{ listen 127.0.0.1:{port}; root '{root}'; {block} }}" for port, block in zip(ports, servers))
        configuration = self.directory / "nginx.conf"
        configuration.write_text(f"""
daemon off; master_process off; pid {self.directory}/pid; error_log {self.directory}/errors.log;
events {{}}
http {{
  {places} types {{ {TYPES} }} default_type application/octet-stream;
  log_format asked '$server_port $status $request_uri $http_range $body_bytes_sent $sent_http_content_encoding';
  access_log {self.log} asked;
  {blocks}
}}
""")
        self.process = subprocess.Popen(
            [executable(), "-p", self.directory, "-c", configuration], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for port in ports:
            self.wait(port)

    def wait(self, port):
        for _ in range(200):
            try:
                return socket.create_connection(("127.0.0.1", port), 1).close()
            except OSError:
                if self.process.poll() is not None:
                    raise RuntimeError(self.process.stderr.read().decode())
                time.sleep(0.05)
        raise TimeoutError("nginx does not listen")

    def requests(self):
        """The requests that came since the last call."""
        # nginx writes a line after it has sent the answer, but before it reads another request.
        self.marks += 1
        mark = f"/mark-{self.marks}"
        client = http.client.HTTPConnection(self.origins[0].removeprefix("http://"), timeout=30)
        client.request("GET", mark)
        client.getresponse().read()
        client.close()
        for _ in range(3000):
            made = [Request(*line.split(" ")) for line in self.log.read_text().split("\n")[self.read:-1]]
            places = [place for place, request in enumerate(made) if request.path == mark]
            if places:
                self.read += places[0] + 1
                return made[:places[0]]
            time.sleep(0.01)
        raise TimeoutError(f"the log has no {mark}")

    def stop(self):
        self.process.terminate()
        self.process.wait(10)
        self.process.stderr.close()
