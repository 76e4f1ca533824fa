"""A whole transfer into a profile: two homes, two programs, and what can go wrong when the delivery comes."""
import hashlib
import json
import os
import queue
import random
import shutil
import signal
import subprocess
import threading
import time

import contents
from work import TYPES, WHERRY, Run, Site, check, state

PRIMARY_PASSWORD = "Primary-Pass 1"


class Running:
    """A wherry that runs; its events are read as they come."""

    def __init__(self, home, *arguments):
        self.process = subprocess.Popen([WHERRY, *arguments, "--home", home, "--json", "--yes"], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.events, self.said, self.heard = [], [], queue.Queue()
        self.readers = [threading.Thread(target=self.read, daemon=True), threading.Thread(target=self.listen, daemon=True)]
        for reader in self.readers:
            reader.start()

    def read(self):
        for line in self.process.stdout:
            self.events.append(json.loads(line))
            self.heard.put(self.events[-1])
        self.heard.put(None)

    def listen(self):
        for line in self.process.stderr:
            self.said.append(line)

    def event(self, name, seconds=120):
        """The next event of this name; None when it ends without."""
        while True:
            event = self.heard.get(timeout=seconds)
            if event is None or event["event"] == name:
                return event

    def end(self, seconds=300):
        self.process.wait(seconds)
        for reader in self.readers:
            reader.join(10)
        return self.process.returncode

    def error(self):
        return next((e for e in self.events if e["event"] == "error"), {})


def transfer(sender, receiver, *arguments):
    """Sends what one home holds to another; the receiver, running, and the sender."""
    sending = Running(sender, "send", "--listen", "127.0.0.1:0", "--types", TYPES)
    address = sending.event("listening")["addresses"][0]
    code = sending.event("code")["code"]
    return Running(receiver, "receive", code, "--at", address, "--types", TYPES, *arguments), sending


def counts(home):
    """How many records of each kind a home holds."""
    return {kind: len([e for e in Run(home, "list", kind).events if e["event"] == "record"]) for kind in TYPES.split(",")}


def bytes_of(folder):
    """What is in every file but for the logs that SQLite leaves empty or takes away."""
    empty = hashlib.sha256().hexdigest()
    return {name: found[0] for name, found in state(folder).items() if found[0] != empty and not name.endswith(("-journal", "-shm"))}


def received(side, work, home):
    """Into a fresh profile, as the real browser sees it; then taken back."""
    folder, own = side.template(work), work.new("receiver")
    before = bytes_of(folder)
    receiving, sending = transfer(home, own, "--into", side.path(folder))
    status = receiving.end(), sending.end()
    check("%s: received into a profile" % side.name, status[0] in (0, 3) and status[1] in (0, 3), (status, receiving.events[-2:], receiving.said))
    side.compare(side.name + ", received", side.view(folder))
    check("%s: and the store has it, too" % side.name, counts(own) == counts(home), (counts(own), counts(home)))
    again = Run(own, "export", side.path(folder), "--types", TYPES)
    check("%s: and nothing is missing in the profile" % side.name, again.status in (0, 3) and not again.added(), (again.status, again.added()))
    undone = Run(own, "undo")
    after = bytes_of(folder)
    check("%s: undo puts the files back as they were" % side.name, undone.status == 0 and before == after,
          (undone.status, undone.said, sorted(k for k in before.keys() | after.keys() if before.get(k) != after.get(k))))
    check("%s: and leaves what was received in the store" % side.name, counts(own) == counts(home), counts(own))


def received_while_open(side, work, home):
    """Said before a code is used; with --wait it waits."""
    folder, own = side.template(work), work.new("receiver")
    with side.open(folder):
        time.sleep(1)
        done = Run(own, "receive", "4821936577", "--at", "127.0.0.1:1", "--into", side.path(folder))
        check("%s: an open profile is said before the code is used" % side.name, done.status == 11 and "Close" in str(done.events), (done.status, done.events))
        receiving, sending = transfer(home, own, "--into", side.path(folder), "--wait")
        time.sleep(2)
        waited = receiving.process.poll() is None and not any(e["event"] == "connected" for e in receiving.events)
    status = receiving.end(), sending.end()
    check("%s: with --wait it waits until the browser is closed" % side.name, waited and status[0] in (0, 3), (waited, status, receiving.events[-2:], receiving.said))


def received_and_killed(side, work, home, runs, seed):
    """kill -9 while what came is being delivered: it is in the store, and the profile is sound."""
    base = work.fixture(side.fixture)
    before = side.read(base)
    reference = work.copy(base, "reference")
    Run(work.copy(home, "home"), "export", side.path(reference), "--types", TYPES)
    expected, whole = side.read(reference), counts(home)
    generator, hit, faults = random.Random(seed), 0, []
    for run in range(runs):
        folder, own = work.copy(base, "killed"), work.new("receiver")
        receiving, sending = transfer(home, own, "--into", side.path(folder))
        receiving.event("report")
        time.sleep(generator.random() * 0.6)
        receiving.process.send_signal(signal.SIGKILL)
        hit += receiving.end() == -signal.SIGKILL
        sending.end()
        found = side.read(folder)
        if contents.missing(before, found) or contents.missing(found, expected):
            faults.append((run, "lost or doubled", contents.missing(before, found), contents.missing(found, expected)))
        if counts(own) != whole:
            faults.append((run, "the store", counts(own)))
        again = Run(own, "export", side.path(folder), "--types", TYPES)
        if again.status not in (0, 3) or side.read(folder) != expected:
            faults.append((run, "again", again.status, again.said))
        shutil.rmtree(folder)
        shutil.rmtree(own)
    check("%s: killed %d of %d times as it was delivered: in the store, sound, done again whole" % (side.name, hit, runs), not faults, faults[:3])


def locked(work, home, firefox):
    """A Firefox profile with a primary password, and one without keys."""
    folder, own = work.fixture("firefox-profile-primary-password"), work.new("receiver")
    file = work.new("password")
    with open(file, "w", encoding="utf-8") as f:
        f.write(PRIMARY_PASSWORD + "\n")
    before = bytes_of(folder)
    receiving, sending = transfer(home, own, "--into", folder)
    status = receiving.end(), sending.end()
    check("Firefox: a primary password that nobody gives: nothing is written, and it is in the store",
          status[0] not in (0, 3) and status[1] in (0, 3) and "--password-file" in str(receiving.error()) and before == bytes_of(folder) and counts(own) == counts(home),
          (status, receiving.error(), counts(own)))
    done = Run(own, "export", folder, "--types", TYPES, "--password-file", file)
    check("Firefox: and with it all is delivered", done.status in (0, 3), (done.status, done.said))
    view = firefox.view(folder, primary_password=PRIMARY_PASSWORD)
    check("Firefox: and the browser opens its logins", len(view["logins"]["logins"]) > 10 and not view["errors"], (view["errors"], len(view["logins"].get("logins", []))))
    folder, own = work.fresh_firefox(), work.new("receiver")
    for name in ("key4.db", "logins.json"):
        if os.path.exists(os.path.join(folder, name)):
            os.unlink(os.path.join(folder, name))
    receiving, sending = transfer(home, own, "--into", folder)
    status = receiving.end(), sending.end()
    report = [e for e in receiving.events if e["event"] == "report"][-1]
    lost = {l["type"] for l in report.get("losses", [])}
    found = contents.firefox(folder)
    check("Firefox: without keys logins and cards are a loss, the rest is delivered",
          status[0] in (0, 3) and {"passwords", "cards"} <= lost and sum(found["visits"].values()) > 50 and not found["logins"], (status, lost, report))


def undone(side, work, home):
    """After the browser has run, undo takes the records back one by one and leaves its own."""
    folder = work.fixture(side.fixture)
    before = side.read(folder)
    Run(home, "export", side.path(folder), "--types", TYPES)
    with Site() as url, side.open(folder) as browser:
        side.live(browser, url)
    delivered = side.read(folder)
    taken = Run(home, "undo")
    after = side.read(folder)
    added = {kind: after[kind] - before[kind] for kind in after}
    own = sorted(str(key) for kind in added.values() for key in kind)
    check("%s: after the browser has run, undo takes record by record back and leaves its own" % side.name,
          taken.status in (0, 3) and not contents.missing(before, after) and contents.missing(delivered, after) and own and all(url in key for key in own),
          (taken.status, taken.said, contents.missing(before, after), own))
    found = side.view(folder)
    problems = found["check"]["problems"] if side.name == "Firefox" else [k for k, v in found["store"]["check"].items() if v]
    check("%s: and the browser finds no fault" % side.name, not found["errors"] and not problems, (found["errors"], problems))
