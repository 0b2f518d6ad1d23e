"""Compares the speed of answers with nginx and a file of the same size: python3 Tests/Server/load.py INDEX

The script needs wrk and nginx (Debian: wrk, nginx-light). Rounds alternate. The script prints the medians of all rounds,
the best throughput, and the number of processes that wanted a processor meanwhile, with wrk and the servers.
"""

import argparse
import os
import re
import socket
import statistics
import subprocess
import tempfile
import time

from server import SCRATCH, Server, shardq

UNITS = {"us": 1e-3, "ms": 1.0, "s": 1e3}


def wrk(url, connections, seconds, script=None):
    """Requests a second, p50 and p99 in milliseconds, answers that were not 2xx or 3xx."""
    command = ["wrk", "-t", "1", "-c", str(connections), "-d", f"{seconds}s", "--latency"]
    if script:
        command += ["-s", script]
    text = subprocess.run([*command, url], capture_output=True, text=True, timeout=seconds + 60, check=True).stdout
    times = [float(value) * UNITS[unit] for value, unit in re.findall(r"\s(?:50|99)%\s+([0-9.]+)(us|ms|s)", text)]
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    return float(re.search(r"Requests/sec:\s+([0-9.]+)", text)[1]), times[0], times[1], int(bad[1]) if bad else 0


class Nginx:
    """nginx with one file."""

    def __init__(self, body):
        self.directory = tempfile.mkdtemp(dir=SCRATCH)
        os.chmod(self.directory, 0o755)
        with open(os.path.join(self.directory, "answer.json"), "wb") as file:
            file.write(body)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        configuration = os.path.join(self.directory, "nginx.conf")
        with open(configuration, "w") as file:
            file.write(f"""
daemon off; worker_processes auto; pid {self.directory}/pid; error_log {self.directory}/errors;
events {{ worker_connections 1024; }}
http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; open_file_cache max=10;
  client_body_temp_path {self.directory}/a; proxy_temp_path {self.directory}/b; fastcgi_temp_path {self.directory}/c;
  uwsgi_temp_path {self.directory}/d; scgi_temp_path {self.directory}/e;
  server {{ listen 127.0.0.1:{self.port}; root {self.directory}; }} }}
""")
        # By default nginx's workers run as another user, which cannot read the directory.
        self.process = subprocess.Popen(["nginx", "-c", configuration, "-g", "user root;"], stderr=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{self.port}/answer.json"
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=5).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.02)
        raise RuntimeError("nginx did not start")

    def close(self):
        self.process.terminate()
        self.process.wait(30)


def script(name, lines):
    path = os.path.join(SCRATCH, name)
    with open(path, "w") as file:
        file.write("\n".join(lines))
    return path


def typing(index):
    """A script for wrk that sends the texts of typing people, key by key."""
    log = shardq("generate", "-i", index, "--typing", "3000")[1]
    keys = []
    for line in log.splitlines():
        text = line.split("\t")[-1]
        escaped = "".join(c if c.isascii() and c.isalnum() else "".join("%%%02X" % b for b in c.encode()) for c in text)
        keys.append(escaped)
    assert len(keys) > 500, "no typing to replay"
    return script("typing.lua", [
        "paths = {", *[f'"/v1/search?q={key}&limit=20&display=true",' for key in keys], "}", "at = 0",
        "request = function() at = at % #paths + 1; return wrk.format('GET', paths[at]) end"]), len(keys)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index")
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--connections", default="1,8,64,256")
    options = parser.parse_args()
    with Server(options.index) as server:
        path = "v1/search?q=san&limit=20"
        answer = server.get("/" + path)
        typed, count = typing(options.index)
        unchanged = script("unchanged.lua", [f"wrk.headers['If-None-Match'] = '{answer.headers['etag']}'"])
        nginx = Nginx(answer.body)
        try:
            cases = [
                (f"nginx, a file of {len(answer.body)} bytes", nginx.url, None),
                ("one query, 20 records", server.url + path, None),
                (f"typing, {count} keys, with display", server.url, typed),
                ("unchanged, 304", server.url + path, unchanged),
                ("/healthz", server.url + "healthz", None),
            ]
            print("| | connections | requests a second, median | best | p50 ms | p99 ms |\n|---|--:|--:|--:|--:|--:|")
            for connections in map(int, options.connections.split(",")):
                results = {name: [] for name, _, _ in cases}
                for _ in range(options.rounds):
                    for name, url, lua in cases:
                        results[name].append(wrk(url, connections, options.seconds, lua))
                        assert results[name][-1][3] == 0, f"{name}: {results[name][-1][3]} failed"
                for name, rounds in results.items():
                    rate, p50, p99, _ = map(statistics.median, zip(*rounds))
                    best = max(rate for rate, *_ in rounds)
                    print(f"| {name} | {connections} | {rate:,.0f} | {best:,.0f} | {p50:.3f} | {p99:.2f} |", flush=True)
            print(f"\nload average of the last five minutes: {os.getloadavg()[1]:.1f}")
        finally:
            nginx.close()
        values = server.metrics()
        print(f"\nresident {values['process_resident_memory_bytes'] / 1e6:.1f} MB, "
              f"of that shards {values['shardq_cache_resident_bytes'] / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
