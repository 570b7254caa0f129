"""The server of the benchmark: nginx on loopback, and the files that it serves."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from workshop import Workshop

CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_rlimit_nofile 8192;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  types {{}}
  default_type application/octet-stream;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  client_body_temp_path {folder}/client;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  ssl_certificate {folder}/certificate.pem;
  ssl_certificate_key {folder}/key.pem;
  ssl_protocols TLSv1.2 TLSv1.3;
  server {{
    listen {address}:{http} backlog=1024;
    listen {address}:{https} ssl backlog=1024;
    root {root};
    # Bytes per second for each connection: /256k/NAME is /NAME, slowly.
    location ~ ^/(256k|1m|20m)/(.*)$ {{ limit_rate $1; alias {root}/$2; }}
    # Any number of names for one file that lasts.
    location /queue/ {{ limit_rate 2m; rewrite ^ /queued.bin break; }}
  }}
}}
"""


@dataclass(frozen=True)
class Served:
    """A file under the server's root. The same number always gives the same bytes."""

    name: str
    size: int
    number: int = 0


class Origin:
    """One nginx process, HTTP and HTTPS. `prefix` goes before its command line."""

    def __init__(
        self,
        workshop: Workshop,
        address: str = "127.0.0.1",
        prefix: tuple[str, ...] = (),
    ) -> None:
        self.root = workshop.data
        self.address = address
        self.folder = Path(tempfile.mkdtemp(prefix="nginx-", dir=workshop.folder))
        self.certificate = self.folder / "certificate.pem"
        self.http, self.https = _free_ports(2)
        _make_certificate(self.folder, address)
        (self.folder / "nginx.conf").write_text(self._configuration())
        command = [
            "nginx",
            "-p",
            str(self.folder),
            "-e",
            "error.log",
            "-c",
            "nginx.conf",
        ]
        self._process = subprocess.Popen(
            [*prefix, *command], env=workshop.environment, stderr=subprocess.DEVNULL
        )
        # Whose CPU is the server's.
        self.pids = [self._wait_until_up()]
        self._made: dict[tuple[int, int], Path] = {}

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()

    def url(self, path: str, scheme: str = "http") -> str:
        port = self.https if scheme == "https" else self.http
        return f"{scheme}://{self.address}:{port}/{path}"

    def serve(self, file: Served) -> Path:
        """Makes the file unless it is there, and returns where it is."""
        path = self.root / file.name
        if path.exists():
            return path
        twin = self._made.setdefault((file.size, file.number), path)
        if twin != path:
            os.link(twin, path)
        else:
            _write_noise(path, file.size, file.number)
        return path

    def _configuration(self) -> str:
        return CONFIGURATION.format(
            folder=self.folder,
            root=self.root,
            address=self.address,
            http=self.http,
            https=self.https,
        )

    def _wait_until_up(self) -> int:
        """The process that serves, once it has written its number (it listens then)."""
        deadline = time.monotonic() + 10
        file = self.folder / "nginx.pid"
        while not file.exists() or not file.read_text().strip():
            if self._process.poll() is not None or time.monotonic() > deadline:
                log = self.folder / "error.log"
                text = log.read_text() if log.exists() else ""
                raise RuntimeError(f"nginx does not start: {text}")
            time.sleep(0.02)
        return int(file.read_text())


def _free_ports(count: int) -> list[int]:
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def _make_certificate(folder: Path, address: str) -> None:
    """A certificate that is its own authority, for an address."""
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-nodes", "-days", "30"]
    command += ["-pkeyopt", "ec_paramgen_curve:P-256", "-subj", f"/CN={address}"]
    command += ["-addext", f"subjectAltName=IP:{address}"]
    command += ["-keyout", str(folder / "key.pem")]
    command += ["-out", str(folder / "certificate.pem")]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)


def _write_noise(path: Path, size: int, number: int) -> None:
    """Bytes without any pattern, quickly: a key stream of AES in counter mode."""
    cipher = ["openssl", "enc", "-aes-128-ctr", "-nosalt", "-K", f"{number:032x}"]
    cipher += ["-iv", "0" * 32, "-out", os.fspath(path)]
    with subprocess.Popen(
        ["head", "-c", str(size), "/dev/zero"], stdout=subprocess.PIPE
    ) as zeros:
        subprocess.run(cipher, stdin=zeros.stdout, check=True)
