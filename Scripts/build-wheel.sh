#!/bin/sh
# Builds the Python packages as wheels, for Linux on x86-64: Scripts/build-wheel.sh FOLDER
#
#   shardq-VERSION-….whl        the C library, Sources/Hosts/Python, and the command with its builder
#   shardq_core-VERSION-….whl   the same without the command
#
# The command is bin/shardq and bin/shardq-commands, or those in $SHARDQ_BIN; missing ones are built. pip puts shardq into the
# folder of an environment's programs, and shardq-commands into libexec/shardq beside it, where shardq looks. The wheels need
# no build system. The same sources give the same bytes. If a tool is missing, the script builds nothing and ends with 3.
set -eu
out="${1:?usage: Scripts/build-wheel.sh FOLDER}"
cd "$(dirname "$0")/.."
Scripts/build-library.sh .build/library/out
bin="${SHARDQ_BIN:-bin}"
[ -e "$bin/shardq" ] && [ -e "$bin/shardq-commands" ] || Scripts/build.sh
mkdir -p "$out"
python3 - "$out" "$bin" <<'END'
import base64, glob, hashlib, os, re, stat, sys, zipfile

out, programs = sys.argv[1:]
version = re.search(r'text = "(.*)"', open("Sources/Programs/QueryOutput/ProductVersion.swift").read())[1]
tag = "py3-none-manylinux_2_34_x86_64"  # build-library.sh asserts glibc 2.34.
library = {f"shardq/{os.path.basename(path)}": path for path in sorted(glob.glob("Sources/Hosts/Python/shardq/*.py"))}
library.update({"shardq/py.typed": "Sources/Hosts/Python/shardq/py.typed", "shardq/libshardq.so": ".build/library/out/libshardq.so"})
data = f"shardq-{version}.data"
command = {
    f"{data}/scripts/shardq": f"{programs}/shardq",
    f"{data}/data/libexec/shardq/shardq-commands": f"{programs}/shardq-commands",
}

def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()

def write(name, summary, files):
    base = f"{name.replace('-', '_')}-{version}"
    info = f"{base}.dist-info"
    files = {**files, f"{info}/licenses/LICENSE": "LICENSE", f"{info}/licenses/copyright": "Packaging/debian/copyright"}
    content = {name: open(path, "rb").read() for name, path in files.items()}
    content["shardq/_version.py"] = f'__version__ = "{version}"\n'.encode()
    content[f"{info}/METADATA"] = f"""\
Metadata-Version: 2.4
Name: {name}
Version: {version}
Summary: {summary}
License-File: LICENSE
License-File: copyright
Requires-Python: >=3.8
Description-Content-Type: text/markdown

""".encode() + open("Sources/Hosts/Python/README.md", "rb").read()
    content[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: shardq\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = f"{info}/RECORD"
    rows = [f"{name},sha256={digest(data)},{len(data)}\n" for name, data in content.items()]
    content[record] = ("".join(rows) + f"{record},,\n").encode()

    path = os.path.join(out, f"{base}-{tag}.whl")
    with zipfile.ZipFile(path + ".new", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, data in content.items():
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            is_program = name in command or name.endswith(".so")
            entry.external_attr = (stat.S_IFREG | (0o755 if is_program else 0o644)) << 16
            wheel.writestr(entry, data)
    os.replace(path + ".new", path)
    print(f"{path}: {os.path.getsize(path)} bytes")

write("shardq", "Type-ahead over lists of any size, on disk: library, command and builder", {**library, **command})
write("shardq-core", "Type-ahead over lists of any size, on disk: the library without the command", library)
END
