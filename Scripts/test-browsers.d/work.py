"""What every check uses: lines of results, runs of wherry, profiles and homes to work on."""
import collections
import hashlib
import http.server
import json
import os
import shutil
import subprocess
import tarfile
import threading
import time

from browsers import Chromium, Firefox

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
WHERRY = os.environ.get("WHERRY") or os.path.join(TOP, ".build", "debug", "wherry")
FIXTURES = os.path.join(TOP, "Tests", "BrowsersTests", "Fixtures")
TYPES = "bookmarks,history,passwords,cards,reading-list"
failures = []
started = time.monotonic()


def check(name, holds, detail=""):
    """One line; a failure with what was found."""
    print("%-5s %6.1f s  %s%s" % ("ok" if holds else "FAIL", time.monotonic() - started, name, "" if holds else ": %s" % (detail,)), flush=True)
    if not holds:
        failures.append(name)


class Run:
    """One run of wherry: its exit status and events."""

    def __init__(self, home, *arguments, environment=None):
        done = subprocess.run([WHERRY, *arguments, "--home", home, "--json", "--yes"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, **(environment or {})}, timeout=300)
        self.status = done.returncode
        self.events = [json.loads(line) for line in done.stdout.decode().splitlines() if line.startswith("{")]
        self.report = next((e for e in self.events if e["event"] == "report"), {})
        self.said = (done.stderr.decode(errors="replace").strip() or str(self.events))[-600:]

    def added(self):
        return {t: f["added"] for t, f in self.report.get("types", {}).items() if f["added"]}


class Work:
    """A folder for one judging, with profiles that the browsers made themselves."""

    def __init__(self, folder):
        self.folder = folder
        self.number = 0

    def new(self, name):
        self.number += 1
        return os.path.join(self.folder, "%d-%s" % (self.number, name))

    def copy(self, source, name):
        target = self.new(name)
        shutil.copytree(source, target, symlinks=True)
        return target

    def fixture(self, name):
        target = self.new(name)
        with tarfile.open(os.path.join(FIXTURES, name + ".tar.gz")) as archive:
            archive.extractall(target)
        inner = os.listdir(target)
        return os.path.join(target, inner[0]) if len(inner) == 1 else target

    def fresh_firefox(self):
        if not hasattr(self, "firefox"):
            self.firefox = self.new("firefox-template")
            with Firefox(self.firefox) as ff:
                ff.chrome("await PlacesUtils.promiseBookmarksTree('root________'); await Services.logins.initializationPromise; return 1;")
        return self.copy(self.firefox, "firefox")

    def fresh_chromium(self):
        if not hasattr(self, "chromium"):
            self.chromium = self.new("chromium-template")
            with Chromium(self.chromium):
                time.sleep(1.5)
        return self.copy(self.chromium, "chromium")

    def home(self, *sources):
        """A home that holds what these sources do."""
        home = self.new("home")
        for source in sources:
            done = Run(home, "import", source, "--types", TYPES)
            if done.status not in (0, 3):
                raise SystemExit("import ended with %d: %s" % (done.status, done.said))
        return home


def truth(name):
    with open(os.path.join(FIXTURES, name + ".truth.json"), encoding="utf-8") as f:
        return json.load(f)


def difference(left, right, show=3):
    """The first things that only one side has."""
    left, right = collections.Counter(left), collections.Counter(right)
    return "%d missing %s, %d too many %s" % (sum((left - right).values()), list((left - right))[:show], sum((right - left).values()), list((right - left))[:show])


def same(name, expected, found):
    check(name, collections.Counter(expected) == collections.Counter(found), difference(expected, found))


def outline(roots, node, path=""):
    """A tree as lines: each with its place, so that order counts."""
    lines = []
    for root, children in sorted(roots.items()):
        stack = [(root, children)]
        while stack:
            where, nodes = stack.pop()
            for place, n in enumerate(nodes):
                lines.append((where, place) + node(n))
                if n["kind"] == "folder":
                    stack.append(("%s/%d" % (where, place), n["children"]))
    return lines


def link(v):
    return (v["from"]["url"], v["from"]["time_usec"]) if v.get("from") else None


def state(folder):
    """Every file's bytes and time, but for locks."""
    found = {}
    for base, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(base, name)
            if os.path.isfile(path) and name not in ("LOCK", ".parentlock"):
                with open(path, "rb") as f:
                    found[os.path.relpath(path, folder)] = hashlib.sha256(f.read()).hexdigest(), os.stat(path).st_mtime_ns
    return found


class Site:
    """Pages of this machine for a browser to visit."""

    def __enter__(self):
        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(b"<title>Own page</title><p>hello")

            def log_message(self, *arguments):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return "http://127.0.0.1:%d/own" % self.server.server_address[1]

    def __exit__(self, *error):
        self.server.shutdown()
