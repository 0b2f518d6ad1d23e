"""Runs nginx on loopback as a host of files, with a log whose requests the tests count."""

import pathlib
import shutil
import socket
import subprocess
import time

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


class Nginx:
    """A host of the folder `root`. Each of `servers` is the text of a server's block, which gets an origin of its own."""

    def __init__(self, directory, root, servers):
        self.directory = pathlib.Path(directory)
        self.log = self.directory / "requests.log"
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
  log_format asked '$server_port $status $uri $http_range $sent_http_content_encoding';
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
        """The lines of the log that came since the last call, as lists of words."""
        # nginx writes a line after it has sent the answer.
        seen, lines = -1, []
        while seen != len(lines):
            seen = len(lines)
            time.sleep(0.02)
            lines = self.log.read_text().splitlines()
        made = lines[getattr(self, "read", 0):]
        self.read = len(lines)
        return [line.split(" ") for line in made]

    def stop(self):
        self.process.terminate()
        self.process.wait(10)
        self.process.stderr.close()
