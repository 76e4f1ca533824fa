"""The program, run as a person or a script would run it, and what every run of it must hold."""

import json
import os
import pathlib
import queue
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import threading
import time
import unittest

PROGRAM = os.environ["WHERRY_PROGRAM"]
ESCAPE = re.compile(r"\x1b")

DAMM = [
    "0317598642", "7092154863", "4206871359", "1750983426", "6123045978",
    "3674209581", "5869720134", "8945362017", "9438617205", "2581436790",
]


def check_digit(digits):
    row = 0
    for digit in digits:
        row = int(DAMM[row][int(digit)])
    return str(row)


def other_code(code):
    """A code with the same door digits and a right check digit, but other secret digits."""
    digits = re.sub(r"\D", "", code)
    while True:
        head = digits[:2] + "".join(random.choice("0123456789") for _ in range(7))
        if head != digits[:9]:
            return head + check_digit(head)


class Result:
    """What came of a run."""

    def __init__(self, exit, output, errors):
        self.exit, self.output, self.errors = exit, output, errors

    @property
    def events(self):
        return [json.loads(line) for line in self.output.splitlines()]

    def named(self, name):
        return [event for event in self.events if event["event"] == name]

    def __str__(self):
        return f"exit {self.exit}\n--- out\n{self.output}\n--- err\n{self.errors}"


class Running:
    """A program that runs; its events are read as they come."""

    def __init__(self, arguments, environment, launcher=(), **options):
        self.process = subprocess.Popen(
            [*launcher, PROGRAM, *arguments], env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.lines, self.complaints = [], []
        self.heard = queue.Queue()
        self.readers = [
            threading.Thread(target=self.read, args=(self.process.stdout, self.lines, True), daemon=True),
            threading.Thread(target=self.read, args=(self.process.stderr, self.complaints, False), daemon=True),
        ]
        for reader in self.readers:
            reader.start()

    def read(self, stream, lines, tells):
        for line in stream:
            lines.append(line)
            if tells:
                self.heard.put(line)
        if tells:
            self.heard.put(None)

    def event(self, name, seconds=30):
        """The next event of this name."""
        end = time.monotonic() + seconds
        while True:
            try:
                line = self.heard.get(timeout=max(0.01, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no {name} within {seconds} s\n{''.join(self.lines + self.complaints)}")
            if line is None:
                raise AssertionError(f"ended without {name}\n{''.join(self.lines + self.complaints)}")
            event = json.loads(line)
            if event["event"] == name:
                return event

    def signal(self, number):
        self.process.send_signal(number)

    def end(self, seconds=150):
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"hangs\n{''.join(self.lines + self.complaints)}")
        for reader in self.readers:
            reader.join(10)
        return Result(self.process.returncode, "".join(self.lines), "".join(self.complaints))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Home:
    """A device."""

    def __init__(self, path):
        self.path = str(path)

    def environment(self, **more):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("WHERRY_", "XDG_"))}
        kept.update(WHERRY_HOME=self.path, HOME=self.path + "/nobody", TERM="dumb", SWIFT_BACKTRACE="enable=no")
        kept.update(more)
        return {k: v for k, v in kept.items() if v is not None}

    def start(self, *arguments, environment=None, json=True, **options):
        words = list(arguments) + (["--json"] if json else [])
        return Running(words, environment or self.environment(), **options)

    def run(self, *arguments, seconds=150, **options):
        with self.start(*arguments, **options) as running:
            return running.end(seconds)

    def send(self, *arguments, **options):
        """A sender that shows a code; gives it with its code and address."""
        return self.listen("send", *arguments, **options)

    def listen(self, command, *arguments, **options):
        running = self.start(command, "--listen", "127.0.0.1:0", "--yes", *arguments, **options)
        try:
            running.address = running.event("listening")["addresses"][0]
            running.code = running.event("code")["code"]
        except AssertionError:
            running.__exit__()
            raise
        return running


BOOKMARKS = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<DL><p>
  <DT><A HREF="https://one.test/">One</A>
  <DT><A HREF="https://two.test/">Two</A>
</DL><p>
"""


def history(count, pages=None):
    """So many visits, as Safari exports them."""
    pages = pages or max(1, count // 10)
    entries = [
        {"url": f"https://host{n * 7919 % pages % 97}.test/{n * 7919 % pages}/" + "x" * 40,
         "title": f"Page {n * 7919 % pages}", "time_usec": 1_600_000_000_000_000 + n * 1_000_003, "visit_count": 1}
        for n in range(count)]
    return json.dumps({
        "metadata": {"browser_name": "Safari", "browser_version": "18.4", "data_type": "history",
                     "export_time_usec": 1747418368726439, "schema_version": 1},
        "history": entries})


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="wherry-commands-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def home(self, name):
        return Home(self.folder / name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def filled(self, name="old"):
        """A home with two bookmarks."""
        home = self.home(name)
        result = home.run("import", self.write(f"{name}.html", BOOKMARKS))
        self.assertEqual(result.exit, 0, result)
        return home

    def filled_with_history(self, count, name="old"):
        home = self.home(name)
        result = home.run("import", self.write(f"{name}.json", history(count)), "--yes")
        self.assertEqual(result.exit, 0, result)
        return home

    # What every failure must hold.

    def assertFails(self, result, exit, word=None, says=()):
        self.assertEqual(result.exit, exit, result)
        events = result.events
        errors = [event for event in events if event["event"] == "error"]
        if word is None:
            self.assertEqual(errors, [], result)
        else:
            self.assertEqual([error["code"] for error in errors], [word], result)
            self.assertEqual(events[-1]["event"], "error", result)
            self.assertTrue(errors[0]["message"].endswith("."), result)
            self.assertTrue(errors[0]["hint"], f"no hint\n{result}")
            for part in (says,) if isinstance(says, str) else says:
                self.assertIn(part.lower(), (errors[0]["message"] + " " + errors[0]["hint"]).lower(), result)
        self.assertIn("wherry:", result.errors, result)
        self.assertNoEscapes(result)

    def assertNoEscapes(self, result):
        self.assertIsNone(ESCAPE.search(result.output + result.errors), result)

    def assertSound(self, home, open_transfers=None):
        """The home is as it should be: the program says so, and so does SQLite."""
        checks = {e["name"]: e for e in home.run("doctor").events if e["event"] == "check"}
        for name in ("home", "store", "identity"):
            self.assertEqual(checks[name]["state"], "ok", checks[name])
        status = home.run("status")
        self.assertEqual(status.exit, 0, status)
        transfers = status.named("status")[0]["transfers"]
        if open_transfers is not None:
            self.assertEqual(len(transfers), open_transfers, status)
        data = pathlib.Path(home.path, "data")
        with sqlite3.connect(data / "store.sqlite") as store:
            self.assertEqual(store.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
        store.close()
        self.assertEqual([str(p) for p in data.rglob("*") if p.name.endswith((".new", ".tmp"))], [])
        self.assertEqual([str(p) for p in data.rglob("*.damaged-*")], [])
        folders = list((data / "transfers").iterdir()) if (data / "transfers").exists() else []
        self.assertLessEqual({f.name for f in folders}, {t["transfer"] for t in transfers})

    def titles(self, home):
        return [event.get("title") for event in home.run("list", "bookmarks").named("record")]
