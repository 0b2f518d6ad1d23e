#!/usr/bin/env python3
"""Lists the content of each file of a release by SPDX 2.3: Scripts/spdx.py FOLDER

For each archive, package or wheel in the folder the list NAME.spdx.json has the files in it with their checksums, and the
packages that are linked into its programs, with version and licence: Swift's packages from Package.resolved, the C libraries
from dpkg. One commit gives the same bytes, because the time of a list is $SOURCE_DATE_EPOCH.
"""

import datetime
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SWIFT = "Apache-2.0 WITH Swift-exception"
# Debian's packages of the linked libraries, and their licences.
DEBIAN = {
    "libzstd-dev": "BSD-3-Clause", "zlib1g-dev": "Zlib", "nettle-dev": "LGPL-3.0-or-later OR GPL-2.0-or-later",
    "libc6-dev": "LGPL-2.1-or-later", "musl-dev": "MIT", "libgcc-12-dev": "GPL-3.0-or-later WITH GCC-exception-3.1",
    "wasi-libc": "CC0-1.0 AND MIT", "libclang-rt-14-dev-wasm32": "Apache-2.0 WITH LLVM-exception",
}
PROGRAMS = ["swift", "swift-argument-parser", "libzstd-dev", "zlib1g-dev", "nettle-dev", "libc6-dev", "libgcc-12-dev", "musl-dev"]
SERVER = ["swift", "swift-argument-parser", "swift-nio", "swift-atomics", "swift-collections", "swift-system"] + PROGRAMS[2:7]
LIBRARY = ["swift", "libzstd-dev"]
MODULE = LIBRARY + ["wasi-libc", "libclang-rt-14-dev-wasm32"]
# By the beginning of a file's name; the first that fits.
LINKED = [
    (r"shardq-serve", SERVER), (r"shardq-remote", SERVER), (r"libshardq", LIBRARY), (r"shardq_core", LIBRARY),
    (r"shardq-[\d.]+-py3", PROGRAMS), (r"shardq-[\d.]+\.tgz", MODULE), (r"shardq-[\d.]+\.tar\.gz", []),
    (r"shardq[-_]", PROGRAMS + MODULE[2:]),
]


def deb_content(path):
    """The files in a Debian package, whose data are a compressed archive."""
    data = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], check=True, capture_output=True).stdout
    return tar_content(tarfile.open(fileobj=io.BytesIO(data)))


def tar_content(archive):
    return [(entry.name.removeprefix("./"), archive.extractfile(entry).read()) for entry in archive if entry.isfile()]


def content(path):
    if path.suffix == ".deb":
        return deb_content(path)
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return [(name, wheel.read(name)) for name in wheel.namelist()]
    with tarfile.open(path) as archive:
        return tar_content(archive)


def versions():
    """The version of each linked package, as far as this machine has it."""
    found = {}
    with open(ROOT / "Package.resolved", encoding="utf-8") as file:
        for pin in json.load(file)["pins"]:
            found[pin["identity"]] = pin["state"]["version"]
    swift = subprocess.run(["swift", "--version"], check=True, capture_output=True, text=True).stdout
    found["swift"] = re.search(r"Swift version (\S+)", swift)[1]
    for name in DEBIAN:
        asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True, text=True)
        if asked.returncode == 0:
            found[name] = asked.stdout
    return found


def package(name, version, licence, **more):
    return {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": version,
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence,
        "copyrightText": "NOASSERTION", **more}


def listed(path, version, known, time):
    data = path.read_bytes()
    own = package(path.name, version, "MIT", packageFileName=path.name,
                  checksums=[{"algorithm": "SHA256", "checksumValue": hashlib.sha256(data).hexdigest()}])
    linked = next(names for pattern, names in LINKED if re.match(pattern, path.name))
    parts = [package(name, known[name], DEBIAN.get(name, SWIFT)) for name in dict.fromkeys(linked) if name in known]
    files = [
        {"SPDXID": f"SPDXRef-File-{number}", "fileName": "./" + name, "licenseConcluded": "NOASSERTION",
         "copyrightText": "NOASSERTION", "checksums": [
             {"algorithm": "SHA1", "checksumValue": hashlib.sha1(inside).hexdigest()},
             {"algorithm": "SHA256", "checksumValue": hashlib.sha256(inside).hexdigest()}]}
        for number, (name, inside) in enumerate(sorted(content(path)))]
    # The checksum of all files' checksums in order, which the standard calls the verification code.
    code = hashlib.sha1("".join(sorted(file["checksums"][0]["checksumValue"] for file in files)).encode()).hexdigest()
    own.update(filesAnalyzed=True, packageVerificationCode={"packageVerificationCodeValue": code})
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
    relations += [(own["SPDXID"], "CONTAINS", file["SPDXID"]) for file in files]
    relations += [(own["SPDXID"], "STATIC_LINK", part["SPDXID"]) for part in parts]
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": path.name,
        "documentNamespace": f"urn:sha256:{own['checksums'][0]['checksumValue']}",
        "creationInfo": {"created": time, "creators": [f"Tool: shardq-spdx-{version}"]},
        "packages": [own, *parts], "files": files,
        "relationships": [
            {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other} for one, kind, other in relations]}


def main():
    folder = Path(sys.argv[1])
    version = re.search(r'text = "(.*)"', (ROOT / "Sources/Programs/QueryOutput/ProductVersion.swift").read_text())[1]
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    known = versions()
    for path in sorted(folder.iterdir()):
        if path.suffix in (".deb", ".whl", ".tgz", ".gz", ".xz"):
            text = json.dumps(listed(path, version, known, moment.strftime("%Y-%m-%dT%H:%M:%SZ")), indent=1)
            (folder / (path.name + ".spdx.json")).write_text(text + "\n")


if __name__ == "__main__":
    main()
