# SPDX-License-Identifier: GPL-2.0-only
"""The script that `tamis python -e EVENT help` prints, made of the template beside this file."""

import os
from typing import List, Tuple

Field = Tuple[str, str, str]  # name, Python type, C type
# label, handler, as written for -e, is it a sampling source?, fields
Event = Tuple[str, str, str, bool, List[Field]]

TEMPLATE = os.path.join(os.path.dirname(__file__), "script.py.in")


def quoted(text: str) -> str:
    plain = all(c.isalnum() or c in "_:,.-@+" for c in text)
    return text if plain else "'" + text.replace("'", '"') + "'"


def field_lines(fields: List[Field]) -> str:
    if not fields:
        return ""
    width = max(len(name) for name, _, _ in fields)
    lines = [f"        {name:{width}} : {kind:5}  {c_type}" for name, kind, c_type in fields]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def example(fields: List[Field]) -> str:
    """A field to show; names that are no identifiers or hide methods are left alone."""
    for name, _, _ in fields:
        if name.isidentifier():
            return f"event.{name}"
    return "event._pid"


def handler(event: Event, template: str) -> str:
    label, name, _, source, fields = event
    kind = "A sample of" if source else "Called for each"
    text = template.replace("@LABEL@", label).replace("@HANDLER@", name).replace("@KIND@", kind)
    return text.replace("@FIELDS@\n", field_lines(fields)).replace("@EXAMPLE@", example(fields))


def script(events: List[Event], perf_prof: bool) -> str:
    with open(TEMPLATE, encoding="utf-8") as file:
        text = file.read()
    command = "perf-prof python" if perf_prof else "tamis python"
    head, one, tail = text.split("#---\n")
    # two events of one handler (the same event twice, without aliases) share it
    seen = {event[1]: event for event in reversed(events)}
    unique = [event for event in events if seen[event[1]] is event]
    handlers = "".join(handler(event, one) for event in unique)
    written = ",".join(dict.fromkeys(event[2] for event in events))
    return (
        (head + handlers + tail).replace("@COMMAND@", command).replace("@EVENTS@", quoted(written))
    )
