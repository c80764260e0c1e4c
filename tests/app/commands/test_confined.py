"""A service as in a container: no root, no rights, no home, and two folders to write to."""

import gzip
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from installations import STOP_SECONDS
from test_image import environment, health_check

USER = "10001"
DATA = "/mnt"
"""An empty folder that every system has, in the place of /data."""
CONFINED = f"""
mount --make-rprivate / && mount --bind / / && mount -o remount,ro,bind / /
mount -t tmpfs -o mode=1777 tmpfs /tmp
REACH
mount -t tmpfs -o mode=0700,uid={USER} tmpfs {DATA}
cd {DATA}
exec setpriv --reuid={USER} --regid={USER} --clear-groups --no-new-privs --inh-caps=-all \\
    --bounding-set=-all env -i ENVIRONMENT sh -c 'PROGRAM keys create --scope admin
touch {Path(__file__).parent}/written /written 2>/dev/null && echo it can be written
exec PROGRAM serve --port 0 --processes 2'
"""
REACH = """
mkdir /tmp/python && mount --bind {python} /tmp/python
mount -t tmpfs -o mode=0755 tmpfs {closed} && mkdir -p {python}
mount --move /tmp/python {python} && rmdir /tmp/python
"""
"""Makes Python reachable that is in a folder of root's own."""
PATIENCE = 120


def mounts() -> str:
    """Return the commands that leave nothing to write to, and Python to run."""
    python = Path(sys.base_prefix)
    closed = [folder for folder in reversed(python.parents) if not folder.stat().st_mode & 0o001]
    reach = REACH.format(python=python, closed=closed[0]) if closed else ""
    return CONFINED.replace("REACH", reach)


def why_not() -> str | None:
    """Say why nothing can be confined here."""
    if not sys.platform.startswith("linux") or os.getuid() != 0:
        return "only root of a Linux can make file systems read-only for a process"
    script = mounts().partition("exec ")[0] + f"exec setpriv --reuid={USER} {sys.executable} -c 1"
    tried = subprocess.run(["unshare", "-m", "sh", "-ec", script], capture_output=True, check=False)
    return None if tried.returncode == 0 else "mounting is not allowed here"


@contextmanager
def confined() -> Iterator[tuple[str, str]]:
    """Run a service; yield its address and a key."""
    given = environment() | {"NEXTPAIR_HOST": "127.0.0.1", "PATH": os.environ["PATH"]}
    given["NEXTPAIR_DATABASE"] = f"sqlite:///{DATA}/nextpair.db"
    words = " ".join(shlex.quote(f"{name}={value}") for name, value in given.items())
    program = f"{sys.executable} -m nextpair.app.cli"
    script = mounts().replace("ENVIRONMENT", words).replace("PROGRAM", program)
    with subprocess.Popen(
        ["unshare", "-m", "sh", "-ec", script], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            said = [process.stdout.readline() for _ in range(2)]
            key, address = re.search(r"np_\S+", said[0]), re.search(r"http://\S+", said[1])
            assert key and address, said
            yield address[0], key[0]
        finally:
            process.terminate()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


def test_a_service_works_with_nothing_to_write_but_its_data_and_temporary_files() -> None:
    if why := why_not():
        pytest.skip(f"confined tests did NOT run: {why}")
    with confined() as (address, key):
        headers = {"Authorization": f"Bearer {key}"}
        with httpx.Client(base_url=address, headers=headers, timeout=PATIENCE) as http:
            assert http.post("/v1/studies", json={"id": "s"}).status_code == 201
            text = "x" * 900_000
            lines = "".join(f'{{"id": "d{n}", "topic": "t", "text": "{text}"}}\n' for n in range(3))
            files = [
                ("documents", ("d.jsonl", lines.encode())),
                ("documents", ("e.gz", gzip.compress(lines.replace('"d', '"e').encode()))),
            ]
            told = http.post("/v1/studies/s/imports", files=files)
            assert told.status_code == 200, told.text
            asked = http.post("/v1/studies/s/next", json={"worker": "ann"}).json()
            path = f"/v1/assignments/{asked['assignments'][0]['id']}/judgment"
            answer = {"answer": {"preference": "left"}}
            assert http.post(path, json=answer).status_code == 201
            for path in ("/v1/studies/s/export/csv", "/v1/studies/s/report.html", "/metrics"):
                assert http.get(path).status_code == 200
        port = address.rpartition(":")[2]
        health = [sys.executable, "-c", health_check()]
        ran = subprocess.run(health, env={**os.environ, "NEXTPAIR_PORT": port}, check=False)
        assert ran.returncode == 0
