"""A store with the interface of S3, on loopback: objects in memory, conditional puts, and named faults."""

import email.utils
import hashlib
import http.server
import re
import threading
import time
import urllib.parse
import xml.sax.saxutils

import host

KEYS = {"AWS_ACCESS_KEY_ID": "AKTEST", "AWS_SECRET_ACCESS_KEY": "SKTEST-secret", "AWS_REGION": "us-east-1"}


class Store:
    """A store; `fault(handler, method, key)` may answer in its place, and returns whether it did."""

    def __init__(self, page=1000):
        store = self
        self.objects = {}  # Key to bytes, and seconds since 1970.
        self.requests = []  # (method, key, status)
        self.lock = threading.Lock()
        self.page = page
        self.fault = None
        # The seconds by which the store's clock is ahead.
        self.ahead = 0
        # Whether everybody may read objects by their names.
        self.is_public = False
        # The number of puts, by key, that the store took.
        self.taken = {}

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_):
                pass

            def date_time_string(self, timestamp=None):
                return super().date_time_string(store.now() if timestamp is None else timestamp)

            def send(self, status, body=b"", **fields):
                store.requests.append((self.command, self.key, status))
                host.send(self, status, body, fields)

            def refuse(self, status, code):
                self.send(status, f"<Error><Code>{code}</Code></Error>".encode(), Content_Type="application/xml")

            def cut(self):
                """Ends the connection without an answer."""
                store.requests.append((self.command, self.key, 0))
                self.close_connection = True

            def handle_one(self):
                path, _, query = self.path.partition("?")
                parts = urllib.parse.unquote(path).lstrip("/").split("/", 1)
                self.key = parts[1] if len(parts) > 1 else ""
                self.query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
                self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if store.fault and store.fault(self, self.command, self.key):
                    return
                if not self.headers.get("Authorization", "").startswith("AWS4-HMAC-SHA256 "):
                    if store.is_public and self.command == "GET" and self.key:
                        return self.get()
                    return self.refuse(403, "AccessDenied")
                signed = re.search("SignedHeaders=([^,]*)", self.headers["Authorization"]).group(1).split(";")
                if not {"host", "x-amz-content-sha256", "x-amz-date"} <= set(signed) <= {name.lower() for name in self.headers}:
                    return self.refuse(403, "SignatureDoesNotMatch")
                if self.headers.get("x-amz-content-sha256") != hashlib.sha256(self.body).hexdigest():
                    return self.refuse(400, "XAmzContentSHA256Mismatch")
                self.answer()

            def answer(self):
                {"PUT": self.put, "GET": self.get, "HEAD": self.get, "DELETE": self.delete}[self.command]()

            def put(self, checks=True):
                with store.lock:
                    if checks and self.headers.get("If-None-Match") == "*" and self.key in store.objects:
                        return self.refuse(412, "PreconditionFailed")
                    store.objects[self.key] = (self.body, store.now())
                    store.taken[self.key] = store.taken.get(self.key, 0) + 1
                self.send(200)

            def get(self):
                if "list-type" in self.query:
                    return self.send(200, store.listing(self.query), Content_Type="application/xml")
                found = store.objects.get(self.key)
                if not found:
                    return self.refuse(404, "NoSuchKey")
                content, modified = found
                fields = {"Last_Modified": email.utils.formatdate(modified, usegmt=True),
                          "ETag": '"' + hashlib.md5(content).hexdigest() + '"'}
                if self.command == "HEAD":
                    return self.send(200, b"", Content_Length=str(len(content)), **fields)
                asked = self.headers.get("Range")
                if asked:
                    first, last = (int(number) for number in asked.removeprefix("bytes=").split("-"))
                    last = min(last, len(content) - 1)
                    return self.send(206, content[first:last + 1], Content_Range=f"bytes {first}-{last}/{len(content)}", **fields)
                self.send(200, content, **fields)

            def delete(self):
                with store.lock:
                    store.objects.pop(self.key, None)
                self.send(204)

            do_GET = do_PUT = do_HEAD = do_DELETE = handle_one

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False
            request_queue_size = 64

            def handle_error(self, *_):
                pass  # Tests have clients hang up.

        self.server = Server(("127.0.0.1", 0), Handler)
        self.environment = {**KEYS, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.server.server_address[1]}"}
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    def now(self):
        return time.time() + self.ahead

    def listing(self, query):
        prefix, delimiter = query["prefix"], query.get("delimiter")
        behind = query.get("continuation-token", "")
        keys, folders = [], set()
        for key in sorted(self.objects):
            if not key.startswith(prefix) or key <= behind:
                continue
            if delimiter and delimiter in key[len(prefix):]:
                folders.add(prefix + key[len(prefix):].split(delimiter)[0] + delimiter)
            else:
                keys.append(key)
        more, keys = len(keys) > self.page, keys[:self.page]
        return page(((key, len(self.objects[key][0]), self.objects[key][1]) for key in keys), keys[-1] if more else None, folders)

    def names(self, prefix):
        """The names of the objects below a prefix."""
        return {key[len(prefix):] for key in self.objects if key.startswith(prefix)}

    def age(self, prefix, seconds):
        """Makes all objects below a prefix older."""
        for key, (content, modified) in list(self.objects.items()):
            if key.startswith(prefix):
                self.objects[key] = (content, modified - seconds)

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def page(objects, token, folders=()):
    """A page of a list as S3 writes it."""
    found = ['<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">']
    found.append(f"<Name>bucket</Name><EncodingType>url</EncodingType><IsTruncated>{'true' if token else 'false'}</IsTruncated>")
    for key, size, modified in objects:
        date = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(modified))
        found.append(f"<Contents><Key>{urllib.parse.quote(key)}</Key><LastModified>{date}</LastModified>"
                     f"<ETag>&quot;0&quot;</ETag><Size>{size}</Size><StorageClass>STANDARD</StorageClass></Contents>")
    found += [f"<CommonPrefixes><Prefix>{urllib.parse.quote(folder)}</Prefix></CommonPrefixes>" for folder in sorted(folders)]
    if token:
        found.append(f"<NextContinuationToken>{xml.sax.saxutils.escape(token)}</NextContinuationToken>")
    return "".join(found + ["</ListBucketResult>"]).encode()


def is_shard(name):
    return re.fullmatch(r"[a-z0-9%_.-]+-[0-9a-f]{16}\.zst", name) is not None
