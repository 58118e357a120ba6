"""After the table of records was put back to an older point: revisions go on above all that were
ever given out, and the index is built again from the table, with the vectors that it holds.

    python -m cli.restore

The stack is `STACK_NAME`; the settings are those of its projector, the AWS credentials the
operator's. Nothing should be writing: a commit made before this may get a lost revision.
"""

import os
import sys

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from cli.stack_output import stack_output
from palimpsest.bootstrap.projector import restore_services
from palimpsest.domain.errors import PalimpsestError
from palimpsest.services.restore import MARGIN, Restored
from palimpsest.settings import Settings, SettingsError, load


def main() -> int:
    """The exit code: 0 done, 1 refused or not possible."""
    try:
        services = restore_services(settings_of(projector_of(os.environ.get("STACK_NAME", ""))))
        done = services.restore(renew=True)
    except (LookupError, SettingsError) as error:
        print(error, file=sys.stderr)
        return 1
    except (BotoCoreError, ClientError, PalimpsestError) as error:
        print(f"not restored: {error}; it may be run again", file=sys.stderr)
        return 1
    for jump in done.jumps:
        print(f"{jump.tenant} {jump.namespace}: {jump.before} -> {jump.after}")
    print(told(done))
    return 0


def projector_of(stack: str) -> str:
    """The projector function of a stack. Raises `LookupError` if it has none, or none is named."""
    return stack_output(stack, "ProjectorFunctionName", lambda: boto3.client("cloudformation"))


def settings_of(function: str) -> Settings:
    """The settings that a deployed function has. Raises `SettingsError`."""
    configuration = boto3.client("lambda").get_function_configuration(FunctionName=function)
    return load(configuration.get("Environment", {}).get("Variables", {}))


def told(done: Restored) -> str:
    """One line on what a restore did; empty where it did nothing."""
    if not done.jumps and not done.renewed:
        return ""
    count = len(done.jumps)
    clocks = f"the revisions of {count} namespace{'' if count == 1 else 's'} skip {MARGIN:,}"
    if not done.renewed:
        return f"{clocks}; the index has nothing that the table has lost"
    found = "the index was ahead of the table and" if done.ahead else "the index"
    return f"{clocks}; {found} is built again ({done.generation}, {done.embedded} texts embedded)"


if __name__ == "__main__":
    sys.exit(main())
