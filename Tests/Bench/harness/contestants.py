"""How dltui, its peers and the floors are called to do some work."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from measure import Contestant
from origin import Origin
from workshop import Workshop


@dataclass(frozen=True)
class Work:
    """Addresses whose files go to one folder."""

    workshop: Workshop
    origin: Origin
    paths: list[str]
    scheme: str

    @property
    def urls(self) -> list[str]:
        return [self.origin.url(path, self.scheme) for path in self.paths]

    @property
    def out(self) -> str:
        return str(self.workshop.out)

    def addresses(self, option: str) -> list[str]:
        """One address as it is; more of them from a file that `option` names."""
        if len(self.urls) == 1:
            return self.urls
        return [option, self._written("list", "".join(url + "\n" for url in self.urls))]

    def curl_addresses(self) -> list[str]:
        lines = [f'url = "{url}"\noutput = "{self.target(url)}"\n' for url in self.urls]
        return ["--config", self._written("curl", "".join(lines))]

    def target(self, url: str) -> str:
        return str(self.workshop.out / os.path.basename(url))

    def authority(self, option: str) -> list[str]:
        """The server's certificate, where there is one, is the only one trusted."""
        if self.scheme != "https":
            return []
        certificate = str(self.origin.certificate)
        return [option + certificate] if option.endswith("=") else [option, certificate]

    def _written(self, name: str, text: str) -> str:
        file: Path = self.workshop.folder / name
        file.write_text(text)
        return str(file)


def dltui(work: Work, *options: str) -> Contestant:
    command = [work.workshop.dltui, "get", "-q", "-d", work.out, *options]
    command += work.authority("--cacert") + work.addresses("-i")
    return Contestant(" ".join(["dltui", *options]), "dltui", command)


def curl(work: Work, parallel: int = 1) -> Contestant:
    many = ["-Z", "--parallel-max", str(parallel)] if parallel > 1 else []
    command = ["curl", "-s", *many, *work.authority("--cacert"), *work.curl_addresses()]
    return _peer(" ".join(["curl", *many[:1]]), command)


def wget(work: Work) -> Contestant:
    command = ["wget", "-q", "-P", work.out, *work.authority("--ca-certificate=")]
    return _peer("wget", command + work.addresses("-i"))


def wget2(work: Work, threads: int = 5) -> Contestant:
    command = ["wget2", "-q", f"--max-threads={threads}", "-P", work.out]
    command += work.authority("--ca-certificate=") + work.addresses("-i")
    return _peer("wget2", command)


def aria2(work: Work, connections: int = 1, jobs: int = 5) -> Contestant:
    command = ["aria2c", "--no-conf", "-q", "-d", work.out, "--file-allocation=falloc"]
    command += [f"-x{connections}", f"-s{connections}", "-k1M", f"-j{jobs}"]
    command += work.authority("--ca-certificate=") + work.addresses("-i")
    return _peer(
        f"aria2 -x{connections}" if len(work.paths) == 1 else f"aria2 -j{jobs}", command
    )


def axel(work: Work, connections: int) -> Contestant:
    [url] = work.urls
    insecure = ["-k"] if work.scheme == "https" else []
    command = [
        "axel",
        "-q",
        *insecure,
        "-n",
        str(connections),
        "-o",
        work.target(url),
        url,
    ]
    return _peer(f"axel -n{connections}", command)


def floor(work: Work) -> Contestant:
    """The least that is possible: see floor-http.c and floor-https.c."""
    [path], origin = work.paths, work.origin
    port = origin.https if work.scheme == "https" else origin.http
    program = work.workshop.bin / f"floor-{work.scheme}"
    command = [str(program), str(port), "/" + path, work.target(path)]
    return Contestant(
        {"http": "splice loop", "https": "SSL_read loop"}[work.scheme], "floor", command
    )


def _peer(name: str, command: list[str]) -> Contestant:
    return Contestant(name, "peer", command)
