#!/bin/sh
# Builds the Python package as a wheel, for Linux on x86-64: Scripts/build-wheel.sh FOLDER
#
# The wheel has the C library (Scripts/build-library.sh) and Sources/Hosts/Python, and needs no build system. The same sources
# give the same bytes. If a tool is missing, the script builds nothing and ends with 3.
set -eu
out="${1:?usage: Scripts/build-wheel.sh FOLDER}"
cd "$(dirname "$0")/.."
Scripts/build-library.sh .build/library/out
mkdir -p "$out"
python3 - "$out" <<'END'
import base64, hashlib, os, re, sys, zipfile

version = re.search(r'text = "(.*)"', open("Sources/Programs/QueryOutput/ProductVersion.swift").read())[1]
tag = "py3-none-manylinux_2_34_x86_64"  # build-library.sh asserts glibc 2.34.
info = f"shardq-{version}.dist-info"
files = {f"shardq/{name}": f"Sources/Hosts/Python/shardq/{name}" for name in ("__init__.py", "py.typed")}
files["shardq/libshardq.so"] = ".build/library/out/libshardq.so"
files[f"{info}/licenses/LICENSE"] = "LICENSE"
files[f"{info}/licenses/copyright"] = "Packaging/debian/copyright"
content = {name: open(path, "rb").read() for name, path in files.items()}
content[f"{info}/METADATA"] = f"""\
Metadata-Version: 2.4
Name: shardq
Version: {version}
Summary: Type-ahead over lists of any size, on disk
License-File: LICENSE
License-File: copyright
Requires-Python: >=3.8
Description-Content-Type: text/markdown

""".encode() + open("Sources/Hosts/Python/README.md", "rb").read()
content[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: shardq\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()

def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()

record = f"{info}/RECORD"
rows = [f"{name},sha256={digest(data)},{len(data)}\n" for name, data in content.items()]
content[record] = ("".join(rows) + f"{record},,\n").encode()

path = os.path.join(sys.argv[1], f"shardq-{version}-{tag}.whl")
with zipfile.ZipFile(path + ".new", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
    for name, data in content.items():
        entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o755 if name.endswith(".so") else 0o644) << 16
        wheel.writestr(entry, data)
os.replace(path + ".new", path)
print(f"{path}: {os.path.getsize(path)} bytes")
END
