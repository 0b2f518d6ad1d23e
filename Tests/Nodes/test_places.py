"""Tests the node that nginx chooses for a request with Packaging/nginx/nodes.conf, with servers of nginx as nodes."""

import collections
import csv
import os
import random
import socket
import unittest

from nodes import PATIENCE, ROOT, Nginx, free_ports, get, packaged, target


class Places(unittest.TestCase):
    """The server to which nginx sends a request: each server answers with its port."""

    @classmethod
    def setUpClass(cls):
        ports = free_ports(5)
        blocks = [f'server {{ listen 127.0.0.1:{port}; return 200 "{port}"; }}' for port in ports[1:]]
        cls.nginx = Nginx(packaged("nodes.conf", ports[0], ports[1:]) + "\n".join(blocks), ports)
        cls.port = ports[0]
        cls.addClassCleanup(cls.nginx.close)

    def place(self, path):
        status, _, body = get(self.port, path)
        self.assertEqual(status, 200)
        return int(body)

    def test_no_node_has_over_half_as_much_again_as_its_share(self):
        """A thousand names as they are first typed, of many scripts."""
        with open(os.path.join(ROOT, "Samples/cities.csv"), encoding="utf-8") as file:
            names = sorted({row["name"] for row in csv.DictReader(file)})
        others = ["Москва", "Санкт-Петербург", "Новосибирск", "Екатеринбург", "Київ", "Αθήνα", "Θεσσαλονίκη", "東京", "大阪",
                  "名古屋", "札幌", "福岡", "京都", "横浜", "北京", "上海", "广州", "深圳", "成都", "重庆", "武汉", "서울", "부산",
                  "القاهرة", "الرياض", "دمشق", "تهران", "मुंबई", "दिल्ली", "चेन्नई", "Ñuñoa", "Évry", "Ørsta", "Łódź", "Žilina",
                  "Århus", "Ölbronn"]
        asked = random.Random(7).sample(names, 1000 - len(others)) + others
        counts = collections.Counter(self.place(target(name)) for name in asked)
        self.assertEqual(len(counts), 4)
        self.assertLessEqual(max(counts.values()), 1.5 * 1000 / 4, counts)

    def test_a_session_stays_on_a_node(self):
        for name in ("San José", "Évry", "Łódź", "東京都", "서울특별시", "Москва", "O'Fallon", "A b", "%25 x", "a&b", "👍🏽 x"):
            there = {self.place(target(name[:size])) for size in range(2, len(name) + 1)}
            self.assertEqual(len(there), 1, name)
            # The parameter may follow others, and its letters may be unescaped.
            self.assertEqual({self.place("/v1/search?limit=5&" + target(name).split("?")[1])}, there)
        # Unescaped bytes beyond ASCII.
        there = set()
        for more in ("東京", "東京x", "東京&limit=3"):
            with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
                connection.sendall(f"GET /v1/search?q={more} HTTP/1.0\r\n\r\n".encode())
                there.add(connection.makefile("rb").read().rsplit(b"\r\n\r\n", 1)[1])
        self.assertEqual(len(there), 1)

    def test_another_node_is_asked_after_a_503(self):
        busy = "add_header Retry-After 1 always; return 503;"
        for count in (1, 3):
            ports = free_ports(4)
            answers = [busy] * count + ['return 200 "right";'] * (3 - count)
            blocks = [f"server {{ listen 127.0.0.1:{port}; {answer} }}" for port, answer in zip(ports[1:], answers)]
            nginx = Nginx(packaged("nodes.conf", ports[0], ports[1:]) + "\n".join(blocks), ports)
            self.addCleanup(nginx.close)
            found = [get(ports[0], target(name)) for name in ("Paris", "London", "Oslo", "Rome", "Bern", "Łódź") * 5]
            if count == 1:
                self.assertEqual({(status, body) for status, _, body in found}, {(200, b"right")})
            else:
                self.assertEqual({(status, fields.get("retry-after")) for status, fields, _ in found}, {(503, "1")})

    def test_other_requests_go_by_their_path(self):
        for path in ("/v1/within", "/v1/dots", "/", "/v1/status"):
            there = {self.place(f"{path}?west={west}") for west in range(8)}
            self.assertEqual(len(there), 1, path)
        self.assertGreater(len({self.place(f"/{number}") for number in range(20)}), 1)


if __name__ == "__main__":
    unittest.main()
