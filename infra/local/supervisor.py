"""The process that a local stack is: starts the children, deploys, looks after them, stops. What is
to be started again at once is looked after by a thread of its own.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import boto3
from botocore.config import Config

from cli import restore
from local import embedding, endpoint, environment, models, push, search_node, showcase
from local.children import Children
from local.deployment import Deployment
from local.layout import Layout
from local.search_node import SearchNode
from palimpsest.bootstrap.projector import restore_services
from palimpsest.domain.errors import PalimpsestError

# a repeated call would be a second sweep
_PATIENT = Config(read_timeout=150, retries={"total_max_attempts": 1})
_LOOK_SECONDS = 0.25
_FIRST_SEARCH_SECONDS = 60.0


@dataclass(slots=True)
class Supervisor:
    """One stack's life, from `start` to `stop`. `say` shows a line of progress. `behind`: commits
    may be lost that the clocks have not jumped past yet.
    """

    layout: Layout
    say: Callable[[str], None]
    children: Children = field(init=False)
    behind: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        self.children = Children(self.layout.local / "children.json")

    def start(self) -> dict[str, str]:
        """Bring everything up; what `.local/env` says then. Raises `RuntimeError` with a reason."""
        os.environ.update(self.layout.aws_environment())
        self.layout.local.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.layout.local.chmod(0o700)  # its logs and state show keys
        self.behind = self._recover()
        chosen, searched = embedding.choose(self.layout), search_node.choose(self.layout)
        ours = searched is not None and searched.ours
        endpoint.check_ports(self.layout, embedding=bool(chosen.server), opensearch=ours)
        self.layout.running_marker.touch()
        self.layout.ready_marker.unlink(missing_ok=True)
        self.layout.pid_file.write_text(f"{os.getpid()}\n")
        self.layout.index.mkdir(exist_ok=True)
        self.layout.closed_marker.touch()
        self._start_children(chosen, searched)
        outputs = self._deployed({**chosen.parameters, **(searched.parameters if searched else {})})
        values = environment.members(self.layout, outputs)
        if searched:
            values |= searched.members(outputs)
            search_node.ensure_index(outputs["IndexFunctionName"])
        self._restore(outputs["ProjectorFunctionName"])
        self.layout.closed_marker.unlink()
        self._call(outputs["ProjectorFunctionName"], {"job": "sweep"})  # every namespace
        self._call(outputs["JobsFunctionName"], {"step": "resume", "older_than_s": 0})
        self._wait_for_search(values)
        environment.write(self.layout.env_file, values)
        return values

    def serve(self, *, until: Callable[[], bool] = lambda: False) -> None:
        """Look after the children until then. Raises `RuntimeError` when one ends by itself that
        cannot be started again.
        """
        with self.children.revived(self.say):
            while not until():
                ended = self.children.ended(lasting=False)
                if ended:
                    raise RuntimeError(ended)
                time.sleep(_LOOK_SECONDS)

    def feed(self) -> None:
        """Have the table's stream feed the projector from now on."""
        self.children.start(
            "the stream source",
            [sys.executable, "-m", "local.stream_feed"],
            environment=os.environ,
            log=self.layout.log("stream"),
            restart=True,
        )

    def stop(self) -> None:
        """End the children. Data is kept; the next start knows whether it was kept whole."""
        if self.children.stop() and not self.behind:
            self.layout.running_marker.unlink(missing_ok=True)
        self.layout.pid_file.unlink(missing_ok=True)
        self.layout.ready_marker.unlink(missing_ok=True)

    def load_sample(self, values: dict[str, str]) -> None:
        """Load the sample corpus on the first start, if there is one, and index it meanwhile."""
        program = self.layout.root / "infra" / "sample" / "load.py"
        loaded = self.layout.local / "sample-loaded"
        if loaded.exists() or not program.exists() or os.environ.get("SAMPLE") == "no":
            return
        self.say("loading the sample corpus")
        with subprocess.Popen(
            [sys.executable, str(program)], env={**os.environ, **values}, stdin=subprocess.DEVNULL
        ) as loader:
            try:
                self.serve(until=lambda: loader.poll() is not None)
            finally:
                loader.terminate()
        if loader.returncode == 0:
            loaded.touch()

    def _recover(self) -> bool:
        """Clear away what a killed stack has left; whether commits may be lost, which it says."""
        self.children.stop_orphans()
        unclean = self.layout.deployed_marker.exists() and self.layout.running_marker.exists()
        if not self.layout.deployed_marker.exists():  # nothing of use was ever saved
            shutil.rmtree(self.layout.state, ignore_errors=True)
        elif unclean:
            self.say("the last stop was not clean: starting from the last saved state")
        if not self.layout.state.exists():
            shutil.rmtree(self.layout.index, ignore_errors=True)
            shutil.rmtree(self.layout.opensearch, ignore_errors=True)
        return unclean

    def _start_children(self, chosen: embedding.Embedding, searched: SearchNode | None) -> None:
        """Start all, and wait for each: for the slowest, which is started first, last."""
        if searched and searched.ours:
            search_node.start(self.layout, self.children, say=self.say)
        self.say(f"starting the local AWS endpoint on port {self.layout.port}")
        endpoint.start(self.layout, self.children)
        if chosen.server:
            self.say(f"starting the embedding server on port {self.layout.embedding_port}")
            self.children.start(
                "the embedding server",
                chosen.server,
                environment=_child_environment(),
                log=self.layout.log("embedding"),
            )
            health = f"http://127.0.0.1:{self.layout.embedding_port}/health"
            endpoint.wait_for(health, self.children)
        if searched:
            search_node.wait(searched, self.children)

    def _deployed(self, chosen: Mapping[str, str]) -> dict[str, str]:
        parameters = {
            "Stage": "local",
            "Engine": self.layout.engine,
            "IndexFolder": str(self.layout.index),
            "LogLevel": os.environ.get("LOG_LEVEL") or "INFO",
            **models.parameters(),
            **chosen,
        }
        deployment, pushed = Deployment(self.layout, parameters), self.layout.pushed_marker
        if not deployment.is_current():
            self.say("building the functions")
            deployment.build()
            self.say("deploying template.yaml")
            deployment.deploy()
            pushed.unlink(missing_ok=True)
        outputs = deployment.outputs()
        if pushed.exists():  # code that has been pushed is not what the deployment says
            push.push(push.packed(self.layout), outputs)
        return outputs

    def _restore(self, projector: str) -> None:
        """Bring clocks and index in line with the table. Also looked for after a clean stop: the
        saved state may be an older copy that somebody has put back.
        """
        services = restore_services(restore.settings_of(projector))
        for last in (False, True):
            try:
                done = services.restore(jump=self.behind)
            except PalimpsestError as error:  # a damaged index has been replaced by now
                if last:
                    raise RuntimeError(f"table and index are not in line: {error}") from error
            else:
                break
        self.behind = False
        if restore.told(done):
            self.say(restore.told(done))

    @staticmethod
    def _call(function: str, event: dict[str, object]) -> None:
        """Have a function do what it does from time to time: former commits need no stream, and
        former jobs no machine.
        """
        boto3.client("lambda", config=_PATIENT).invoke(
            FunctionName=function,
            Qualifier="live",
            InvocationType="Event",
            Payload=json.dumps(event).encode(),
        )

    def _wait_for_search(self, values: dict[str, str]) -> None:
        def answers() -> bool:
            return showcase.search(values)[0] == 200  # noqa: PLR2004

        endpoint.wait_until(
            answers, self.children, seconds=_FIRST_SEARCH_SECONDS, what="a first search"
        )


def _child_environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
