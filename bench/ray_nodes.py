"""Kills nodes of a Ray cluster on this machine in the middle of a run, each with its actors, and
compares the rows with those of a run without Ray.

    python bench/ray_nodes.py [--kills 2] [--rows 6000] [--seed 0]

The cluster has a head without CPUs and two nodes with one CPU each, all processes of their own. A
node that is killed (its raylet with SIGKILL, as a machine that loses its power) is replaced.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from kills import digest, write_inputs


def command(inputs: Path, output: Path, *options: str) -> list[str]:
    return [
        sys.executable, "-m", "faithkit.cli", "score", str(inputs), "-m", "rouge2",
        "-o", f"{output}/", "--no-cache", "--workers", "2", "--json", *options,
    ]  # fmt: skip


def shards(output: Path) -> int:
    """How many are done."""
    return len(list(output.glob("0*.jsonl.manifest.json")))


def kill_nodes(
    cluster: Any, run: subprocess.Popen[bytes], output: Path, kills: int, seed: int
) -> int:
    """Kills a node a moment after a shard more is done, so often as the run goes on."""
    draw = random.Random(seed)
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    killed, done = 0, 0
    while killed < kills and run.poll() is None:
        if shards(output) <= done:
            time.sleep(0.05)
            continue
        done = shards(output)
        time.sleep(draw.uniform(0.0, 1.0))
        if run.poll() is not None:
            break
        victim = nodes.pop(draw.randrange(2))
        cluster.remove_node(victim, allow_graceful=False)
        killed += 1
        print(f"node {killed} killed with {done} shards done", flush=True)
        nodes.append(cluster.add_node(num_cpus=1))
    return killed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--rows", type=int, default=6000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    import ray
    from ray.cluster_utils import Cluster

    print(f"Ray {ray.__version__}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_inputs(folder / "in", given.rows, given.seed)
        subprocess.run(
            command(folder / "in", folder / "alone"), check=True, stdout=subprocess.DEVNULL
        )
        expected, rows, _ = digest(folder / "alone")
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
        output = folder / "ray"
        started = time.monotonic()
        run = subprocess.Popen(
            command(folder / "in", output, "--engine", "ray", "--address", cluster.address),
            stdout=subprocess.DEVNULL,
        )
        try:
            killed = kill_nodes(cluster, run, output, given.kills, given.seed)
            code = run.wait()
        finally:
            run.kill()
            cluster.shutdown()
        if code:
            raise SystemExit(f"the run ended with {code}")
        found, ray_rows, outcomes = digest(output)
        lost = len(rows.keys() - ray_rows.keys())
        doubled = sum(count > 1 for count in ray_rows.values())
    print(
        f"{killed} nodes killed over a run of {len(rows)} rows in "
        f"{time.monotonic() - started:.0f} s: rows lost {lost}, doubled {doubled}, outcomes "
        f"{dict(outcomes)}; bytes the same as of a run without Ray: {found == expected}"
    )
    sys.exit(bool(lost or doubled or found != expected or killed < given.kills))


if __name__ == "__main__":
    main()
