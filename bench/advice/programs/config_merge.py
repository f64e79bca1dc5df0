# bench/advice/programs/config_merge.py - settings of many tenants, each merged from the defaults.
#
# SPDX-License-Identifier: Apache-2.0
# advice: deepcopy
import copy as cp

TENANTS = 91_000

DEFAULTS = {
    "limits": {"requests": 100, "burst": [10, 20, 30], "by_path": {"/p%d" % i: i for i in range(25)}},
    "features": ["search", "export", {"beta": ["maps", "chat"]}],
    "mail": {"from": "noreply", "servers": [{"host": "mx%d" % i, "port": 25} for i in range(6)]},
}


def merged(base, changes):
    result = cp.deepcopy(base)  # <- here
    for key, value in changes.items():
        if isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key].update(value)
        else:
            result[key] = value
    return result


def main():
    tenants = []
    for i in range(TENANTS):
        tenants.append(merged(DEFAULTS, {"limits": {"requests": i}, "name": "tenant %d" % i}))
        if len(tenants) > 500:
            tenants.clear()
    print(len(tenants), tenants[-1]["limits"]["requests"])


main()
