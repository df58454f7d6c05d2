"""Whether the network may be used, and which hosts are this machine."""

from __future__ import annotations

import ipaddress
import os

OFFLINE = "FAITHKIT_OFFLINE"
"""The variable that forbids the network, with the value 1."""


def is_offline(offline: bool = False) -> bool:
    """Whether the network must not be used: `offline` is true, or FAITHKIT_OFFLINE=1 is set."""
    return offline or os.environ.get(OFFLINE, "").lower() in ("1", "true", "yes", "on")


def is_local(host: str) -> bool:
    """Whether a host is this machine, so that a server there may be used offline."""
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
