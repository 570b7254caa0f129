"""A long line on one machine: two network namespaces with delay and loss between them."""

from __future__ import annotations

import os
import subprocess
from types import TracebackType

from measure import wait_until
from origin import Origin
from workshop import Workshop

CLIENT_ADDRESS, SERVER_ADDRESS = "10.77.0.1", "10.77.0.2"
NETWORK = "10.77.0.0/30"
MBIT = 400


class Link:
    """The origin in one namespace, the client in the other.

    TCP is CUBIC on both sides, as on most servers, whatever this machine prefers.
    netem delays and loses packets where the kernel has it, else the program `delay`.
    A context manager: the namespaces are gone at its end.
    """

    def __init__(self, workshop: Workshop, round_trip: int, loss: float) -> None:
        """`round_trip` in milliseconds, `loss` in per cent of what comes from the server."""
        self._workshop = workshop
        self._one_way, self._loss = round_trip / 2, loss
        self._client, self._server = (f"dltui-{side}-{os.getpid()}" for side in "cs")
        self._relay: subprocess.Popen[bytes] | None = None
        self.client_prefix = ("ip", "netns", "exec", self._client)

    def __enter__(self) -> Link:
        if os.geteuid() != 0:
            raise PermissionError("network namespaces need root")
        try:
            self._build()
            prefix = ("ip", "netns", "exec", self._server)
            self.origin = Origin(self._workshop, SERVER_ADDRESS, prefix)
        except BaseException:
            self._remove()
            raise
        if self._relay is not None:
            self.origin.pids.append(self._relay.pid)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.origin.close()
        self._remove()

    def _build(self) -> None:
        for namespace in (self._client, self._server):
            _ip("netns", "add", namespace)
        if not self._connect_by_netem():
            self._connect_by_relay()
        for namespace, address in (
            (self._client, CLIENT_ADDRESS),
            (self._server, SERVER_ADDRESS),
        ):
            _ip("-n", namespace, "address", "add", address + "/30", "dev", "line")
            line = ("-n", namespace, "link", "set", "line")
            _ip(*line, "mtu", "1500", "txqueuelen", "10000", "up")
            route = ("-n", namespace, "route", "replace", NETWORK, "dev", "line")
            _ip(*route, "src", address, "congctl", "cubic")
            _ip("-n", namespace, "link", "set", "lo", "up")

    def _connect_by_netem(self) -> bool:
        """A pair of veth devices. False when the kernel has no netem."""
        # Without offloading: what is lost are packets of the line's size.
        end = ("name", "line", "gso_max_segs", "1")
        other_end = ("peer", *end, "netns", self._server)
        _ip("-n", self._client, "link", "add", *end, "type", "veth", *other_end)
        netem = ["root", "netem", "delay", f"{self._one_way}ms", "rate", f"{MBIT}mbit"]
        netem += ["limit", "3000"]
        losses = ["loss", f"{self._loss}%"] if self._loss else []
        if _tc(self._client, netem) and _tc(self._server, netem + losses):
            return True
        _ip("-n", self._client, "link", "delete", "line")
        return False

    def _connect_by_relay(self) -> None:
        relay = [str(self._workshop.bin / "delay"), self._client, self._server]
        relay += [str(self._one_way), str(MBIT), str(self._loss)]
        self._relay = subprocess.Popen(relay)
        wait_until("the relay's devices", self._has_devices, limit=5, step=0.02)

    def _has_devices(self) -> bool:
        return all(
            _succeeds(["ip", "-n", namespace, "link", "show", "line"])
            for namespace in (self._client, self._server)
        )

    def _remove(self) -> None:
        if self._relay is not None:
            self._relay.terminate()
            self._relay.wait()
        for namespace in (self._client, self._server):
            _succeeds(["ip", "netns", "delete", namespace])


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


def _tc(namespace: str, discipline: list[str]) -> bool:
    return _succeeds(
        ["tc", "-n", namespace, "qdisc", "add", "dev", "line", *discipline]
    )


def _succeeds(command: list[str]) -> bool:
    nothing = subprocess.DEVNULL
    return subprocess.run(command, stdout=nothing, stderr=nothing).returncode == 0
