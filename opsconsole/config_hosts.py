"""The hosts that receivers may be at: `allowed_hosts` at the top of opsconsole.toml."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from operations.receivers.base import ReceiverConfig
from opsconsole.toml_section import Section, mistake

# A name, an IPv4 or an IPv6 address, in lower case and without a port: any port there will do.
_HOST = re.compile(r"[a-z0-9._-]{1,253}|[0-9a-f:.]{2,45}")


def check_hosts(root: Section, receivers: Iterable[ReceiverConfig]) -> None:
    """Raises ImproperlyConfigured for a receiver at a host that is not listed.

    The list is needed once an `http` receiver is there, and then holds for all. Every call stays
    below its receiver's base_url, so it is at one of these hosts too.
    """
    hosts = root.texts("allowed_hosts", ())
    for host in hosts:
        if not _HOST.fullmatch(host):
            expected = "names of hosts in lower case, without scheme and port"
            raise mistake("allowed_hosts", expected, host)
    is_given = "allowed_hosts" in root.values
    for config in receivers:
        if not is_given and config.profile.connector == "http":
            expected = f"the hosts that receivers such as {config.name} may be at"
            raise mistake("allowed_hosts", expected, "nothing")
        at = urlsplit(config.base_url).hostname
        if is_given and at and at not in hosts:
            place = f'receivers."{config.name}".environments."{config.environment}".base_url'
            listed = ", ".join(hosts) or "none"
            raise mistake(place, f"a host of allowed_hosts ({listed})", at)
