"""Chromium and Wherry with a real keyring: GNOME's, headless, on a session bus of its own."""
import json
import os
import signal
import sqlite3
import subprocess
import time

import chromium
from browsers import Chromium
from work import Run, check, same

LOGIN = {"url": "https://keyring.example/", "username": "wanda", "password": "pässword of the keyring ✓", "note": "a note"}
CARD = {"name": "Wanda Keyring", "cardNumber": "4242424242424242", "expirationMonth": "11", "expirationYear": "2031", "nickname": ""}


class Keyring:
    """Debian's packages are unpacked into a folder: installed, libsecret would change where Firefox keeps its key for cards."""

    packages = ("gnome-keyring", "libgck-1-0", "libgcr-base-3-1", "libsecret-1-0")

    def __init__(self, folder):
        self.folder = folder
        self.programs = []

    def __enter__(self):
        root, run = os.path.join(self.folder, "root"), os.path.join(self.folder, "run")
        for path in (root, run):
            os.makedirs(path, mode=0o700)
        self.fetch()
        for name in os.listdir(self.folder):
            if name.endswith(".deb"):
                subprocess.run(["dpkg", "-x", name, "root"], cwd=self.folder, check=True)
        bus = self.start(["dbus-daemon", "--session", "--nofork", "--print-address"], os.environ, stdout=subprocess.PIPE)
        self.bus = bus.stdout.readline().decode().strip()
        libraries = [os.path.join(base, name) for base, names, _ in os.walk(os.path.join(root, "usr", "lib")) for name in names if name.endswith("-linux-gnu")]
        self.environment = dict(DBUS_SESSION_BUS_ADDRESS=self.bus, LD_LIBRARY_PATH=":".join(libraries), HOME=self.folder, XDG_RUNTIME_DIR=run,
                                XDG_DATA_HOME=os.path.join(self.folder, "data"))
        daemon = self.start([os.path.join(root, "usr", "bin", "gnome-keyring-daemon"), "--unlock", "--foreground", "--components=secrets"],
                            {**os.environ, **self.environment}, stdin=subprocess.PIPE)
        daemon.stdin.write(b"a password")
        daemon.stdin.close()
        for _ in range(300):
            if self.answers():
                return self
            time.sleep(0.1)
        raise RuntimeError("the keyring does not answer")

    def fetch(self):
        """Mirrors fail now and then."""
        for attempt in range(4):
            fetched = subprocess.run(["apt-get", "-qq", "download", *self.packages], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            if fetched.returncode == 0:
                return
            time.sleep(5 * attempt)
        raise RuntimeError("the keyring's packages cannot be fetched: %s" % fetched.stderr.decode(errors="replace")[-300:])

    def start(self, command, environment, **streams):
        program = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL, start_new_session=True, **streams)
        self.programs.append(program)
        return program

    def answers(self):
        """Whether it has come onto the bus."""
        asked = subprocess.run(["dbus-send", "--bus=" + self.bus, "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner",
                                "string:org.freedesktop.secrets"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return b"true" in asked.stdout

    def __exit__(self, *error):
        for program in reversed(self.programs):
            program.send_signal(signal.SIGTERM)
            program.wait(20)


def seals(folder):
    """How the passwords and cards of a profile are sealed."""
    found = set()
    for name, query in (("Login Data", "SELECT password_value FROM logins"), ("Web Data", "SELECT card_number_encrypted FROM credit_cards")):
        with sqlite3.connect("file:%s?mode=ro" % os.path.join(folder, "Default", name), uri=True) as database:
            found |= {bytes(row[0][:3]) for row in database.execute(query) if row[0]}
    return found


def keyring(work, home):
    """What Chromium locks with the keyring's secret, Wherry reads, and writes so that Chromium opens it."""
    folder = work.fresh_chromium()
    with Keyring(work.new("keyring")) as ring:
        browser = dict(password_store="gnome-libsecret", env=ring.environment)
        with Chromium(folder, **browser) as running:
            page = running.page("chrome://password-manager/passwords")
            page.wait_for("!!(window.chrome && chrome.passwordsPrivate)")
            page.eval("chrome.passwordsPrivate.addPassword(%s)" % json.dumps({**LOGIN, "useAccountStore": False}))
            page.close()
            page = running.page("chrome://settings/payments")
            page.wait_for("!!(window.chrome && chrome.autofillPrivate)")
            page.eval("chrome.autofillPrivate.saveCreditCard(%s)" % json.dumps(CARD))
            time.sleep(1)
            page.close()
        check("keyring: Chromium locks with its secret", seals(folder) == {b"v11"}, seals(folder))
        profile = os.path.join(folder, "Default")
        environment = {"DBUS_SESSION_BUS_ADDRESS": ring.bus}
        own = work.new("home")
        shut = Run(own, "import", profile, "--types", "passwords,cards", environment={"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere", "XDG_RUNTIME_DIR": "/nowhere"})
        check("keyring: without it secrets are skipped, with the reason", shut.status == 3 and "keyring" in str(shut.events) and not shut.added(), (shut.status, shut.events))
        done = Run(own, "import", profile, "--types", "passwords,cards", environment=environment)
        logins = [e for e in Run(own, "list", "passwords", "--reveal").events if e["event"] == "record"]
        cards = [e for e in Run(own, "list", "cards", "--reveal").events if e["event"] == "record"]
        check("keyring: with it they are read", done.status == 0 and [(l["username"], l["password"]) for l in logins] == [(LOGIN["username"], LOGIN["password"])]
              and [c["number"] for c in cards] == [CARD["cardNumber"]], (done.status, done.said, logins, cards))
        done = Run(home, "export", profile, "--types", "passwords,cards", environment=environment)
        check("keyring: what is delivered is locked with it, too", done.status in (0, 3) and done.added() and seals(folder) == {b"v11"}, (done.status, done.said, seals(folder)))
        with Chromium(folder, **browser) as running:
            logins, payment = chromium.logins(running)["logins"], chromium.payment(running)
        expected = sum(f["added"] for f in done.report["types"].values()) + 2
        check("keyring: and Chromium opens all of it", len(logins) + len(payment["cards"]) == expected and all(l["password"] for l in logins) and all(c["number"] for c in payment["cards"]),
              (len(logins), len(payment["cards"]), expected))
        same("keyring: its own among it", [LOGIN["password"]], [l["password"] for l in logins if l["username"] == LOGIN["username"]])
