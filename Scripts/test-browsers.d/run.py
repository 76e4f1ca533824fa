"""The checks: run by Scripts/test-browsers, which has installed and built what they need."""
import argparse
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import chromium
import contents
import files
import firefox
import keyring
import transfers
from browsers import BrowserError, Chromium, Firefox
from work import TYPES, WHERRY, Run, Site, Work, check, failures, link, outline, same, started, state, truth

# ---------------------------------------------------------------------------------------------------------- the two sides
class FirefoxSide:
    name = "Firefox"
    fixture = "firefox-profile"
    template = staticmethod(Work.fresh_firefox)
    read = staticmethod(contents.firefox)

    def source(self, work):
        return work.fixture(self.fixture)

    def path(self, folder):
        return folder

    def view(self, folder):
        return firefox.view(folder)

    @staticmethod
    def node(n):
        return n["kind"], n.get("title"), n.get("url"), tuple(n.get("tags", [])), n.get("keyword"), n.get("post_data")

    def compare(self, name, found):
        """A delivered profile against what the source's own browser says."""
        expected = truth(self.fixture)["view"]
        check(name + ": nothing that Firefox finds fault with", not found["errors"] and not found["check"]["problems"], (found["errors"], found["check"]))
        same(name + ": tree, order, titles, tags and keywords", outline(expected["bookmarks"]["roots"], self.node), outline(found["bookmarks"]["roots"], self.node))
        visit = lambda v: (v["url"], v["time_usec"], v["transition"], link(v))
        same(name + ": visits with time, transition and link", map(visit, expected["history"]["visits"]), map(visit, found["history"]["visits"]))
        titles = lambda h: [(p["url"], p["title"], p["visit_count"], p["hidden"]) for p in h["pages"]]
        same(name + ": pages with title and count", titles(expected["history"]), titles(found["history"]))
        login = lambda l: (l["origin"], l["http_realm"], l["username"], l["password"])
        own = [l for l in expected["logins"]["logins"] if l["origin"] != "chrome://FirefoxAccounts"]
        same(name + ": logins with passwords", map(login, own), map(login, found["logins"]["logins"]))
        card = lambda c: (c["name"], c["number"], c["exp_month"], c["exp_year"])
        same(name + ": cards with numbers", map(card, expected["payment"]["cards"]), map(card, found["payment"]["cards"]))

    def open(self, folder):
        return Firefox(folder)

    def live(self, browser, url):
        """The browser adds a bookmark and a visit of its own."""
        browser.chrome("await PlacesUtils.bookmarks.insert({parentGuid: 'toolbar_____', url: args[0], title: 'Own bookmark'}); return 1;", url)
        browser.navigate(url)
        browser.chrome("await new Promise(r => Services.tm.idleDispatchToMainThread(r, 3000)); return 1;")
        time.sleep(2)


class ChromiumSide:
    name = "Chromium"
    fixture = "chromium-profile"
    template = staticmethod(Work.fresh_chromium)
    read = staticmethod(contents.chromium)
    bits = {"chain_start", "chain_end", "client_redirect", "server_redirect"}

    def source(self, work):
        return os.path.join(work.fixture(self.fixture), "Default")

    def path(self, folder):
        return os.path.join(folder, "Default")

    def view(self, folder):
        return chromium.view(folder, page=True)

    @staticmethod
    def node(n):
        return n["kind"], n["title"], n.get("url"), n["date_added_usec"]

    def compare(self, name, found):
        whole = truth(self.fixture)
        expected = whole["view"]
        check(name + ": nothing that Chromium finds fault with",
              not found["errors"] and found["store"]["integrity"] == "ok" and not any(found["store"]["check"].values()), (found["errors"], found["store"]["check"]))
        same(name + ": tree, order, titles and dates", outline(expected["bookmarks"]["roots"], self.node), outline(found["bookmarks"]["roots"], self.node))
        visit = lambda v: (v["url"], v["time_usec"], v["transition"], tuple(sorted(self.bits & set(v["qualifiers"]))), link(v))
        same(name + ": visits with time, transition, chain and link", map(visit, whole["store"]["visits"]), map(visit, found["store"]["visits"]))
        # It leaves out pages by what the server answered.
        pages = lambda h: [(p["url"], p["title"]) for p in h["pages"]]
        same(name + ": pages that its history search finds", pages(expected["history"]), pages(found["history"]))
        check(name + ": chrome://history lists pages", len(found["history_page"]) > 3, found["history_page"])
        login = lambda l: (tuple(l["realms"]), l["username"], l["password"], l["note"])
        same(name + ": logins with passwords and notes", map(login, expected["logins"]["logins"]), map(login, found["logins"]["logins"]))
        card = lambda c: (c["name"], c["number"], c["exp_month"], c["exp_year"], c["nickname"])
        same(name + ": cards with numbers", map(card, expected["payment"]["cards"]), map(card, found["payment"]["cards"]))
        item = lambda i: (i["title"], i["url"], i["read"], i["created_usec"])
        same(name + ": reading list", map(item, expected["reading_list"]), map(item, found["reading_list"]))

    def open(self, folder):
        return Chromium(folder)

    def live(self, browser, url):
        page = browser.page("chrome://bookmarks")
        page.wait_for("!!(window.chrome && chrome.bookmarks)")
        page.eval("chrome.bookmarks.create({parentId: '1', title: 'Own bookmark', url: %s})" % json.dumps(url))
        page = browser.page()
        page.navigate(url)
        time.sleep(4)


# --------------------------------------------------------------------------------------------------------------- the checks
def deliver(side, work):
    """From a fixture through the store into a profile that the browser has just made."""
    home = work.home(side.source(work))
    folder = side.template(work)
    done = Run(home, "export", side.path(folder), "--types", TYPES)
    check("%s: export into a new profile" % side.name, done.status in (0, 3), (done.status, done.said))
    side.compare(side.name, side.view(folder))
    before = state(folder)
    again = Run(home, "export", side.path(folder), "--types", TYPES)
    check("%s: a second delivery adds nothing" % side.name, again.status == done.status and not again.added(), (again.status, again.added(), again.said))
    after = state(folder)
    check("%s: and changes no file" % side.name, before == after, sorted(k for k in before.keys() | after.keys() if before.get(k) != after.get(k)))
    return home, folder


def goes_on(side, work, folder):
    """The browser lives with what was delivered, and Wherry reads what it adds."""
    with Site() as url:
        with side.open(folder) as browser:
            side.live(browser, url)
        with side.open(folder):
            time.sleep(1)
        home = work.home(side.path(folder))
        marks = Run(home, "list", "bookmarks", "--search", "Own bookmark").events
        visits = Run(home, "list", "history", "--search", url).events
    check("%s: goes on, and its own bookmark and visit are read" % side.name, any(e.get("url") == url for e in marks) and any(e.get("url") == url for e in visits),
          (len(marks), len(visits)))


def in_use(side, work, home):
    """A profile that the browser has open is left alone."""
    folder = side.template(work)
    with side.open(folder):
        time.sleep(1)
        done = Run(home, "export", side.path(folder), "--types", TYPES)
        check("%s: refused while it is open" % side.name, done.status == 11, (done.status, done.said))
    found = side.read(folder)
    check("%s: and untouched" % side.name, not any("example" in str(k) for kind in found.values() for k in kind), {k: len(v) for k, v in found.items()})
    check("%s: and taken once it is closed" % side.name, Run(home, "export", side.path(folder), "--types", TYPES).status in (0, 3))


def with_data(side, work, home):
    """A profile that has data keeps it."""
    other = work.fixture(side.fixture)
    before = side.read(other)
    done = Run(home, "export", side.path(other), "--types", TYPES)
    after = side.read(other)
    check("%s: into a profile with data, which stays" % side.name, done.status in (0, 3) and done.added() and before != after and not contents.missing(before, after),
          (done.status, done.said, contents.missing(before, after)))
    again = Run(home, "export", side.path(other), "--types", TYPES)
    check("%s: and again without doubles" % side.name, not again.added() and side.read(other) == after, again.added())
    found = side.view(other)
    problems = found["check"]["problems"] if side.name == "Firefox" else [k for k, v in found["store"]["check"].items() if v]
    check("%s: and the browser opens it" % side.name, not found["errors"] and not problems, (found["errors"], problems))


def many_visits(work, count=2000):
    """A Chromium profile with visits enough for the writing to take a while."""
    folder = work.fresh_chromium()
    history = sqlite3.connect(os.path.join(folder, "Default", "History"))
    now = int(time.time() * 1000000) + contents.WEBKIT
    for i in range(count // 2):
        history.execute("INSERT INTO urls(id, url, title, visit_count, last_visit_time) VALUES (?, ?, ?, 2, ?)", (1000 + i, "https://many.example/%d" % i, "Page %d" % i, now - i * 1000000))
        for k in range(2):
            history.execute("INSERT INTO visits(url, visit_time, from_visit, transition) VALUES (?, ?, 0, ?)", (1000 + i, now - i * 1000000 - k * 3600 * 1000000, 0x30000000))
    history.commit()
    history.close()
    return os.path.join(folder, "Default")


def killed(side, other, work, runs, seed):
    """The writing of records of every kind is killed at random points; then the delivery is done again."""
    home = work.home(other.source(work), many_visits(work))
    base = work.fixture(side.fixture)
    before = side.read(base)
    reference = work.copy(base, "reference")
    began = time.monotonic()
    done = Run(work.copy(home, "home"), "export", side.path(reference), "--types", TYPES)
    length = time.monotonic() - began
    expected = side.read(reference)
    check("%s: %.1f s of writing, to be killed" % (side.name, length), done.status in (0, 3) and expected != before, (done.status, done.said))
    generator, hit, faults, opened, run = random.Random(seed), 0, [], 0, 0
    # One that has ended before it was killed does not count, and tells how long it takes.
    while hit < runs and run < 3 * runs:
        run += 1
        folder, own = work.copy(base, "killed"), work.copy(home, "home")
        began = time.monotonic()
        process = subprocess.Popen([WHERRY, "export", side.path(folder), "--types", TYPES, "--home", own, "--json", "--yes"], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(generator.random() * length)
            length = time.monotonic() - began
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            hit += process.wait() == -signal.SIGKILL
        try:
            found = side.read(folder)
            if contents.missing(before, found):
                faults.append((run, "lost", contents.missing(before, found)))
            if contents.missing(found, expected):
                faults.append((run, "doubled", contents.missing(found, expected)))
            if run % max(1, runs // 4) == 0:
                opened += 1
                copy = work.copy(folder, "opened")
                try:
                    view = side.view(copy)
                except (OSError, BrowserError):  # a machine that is busy with other things
                    view = side.view(copy)
                if view["errors"] or (view["check"]["problems"] if side.name == "Firefox" else any(view["store"]["check"].values())):
                    faults.append((run, "the browser", view["errors"]))
            again = Run(own, "export", side.path(folder), "--types", TYPES)
            if again.status not in (0, 3):
                faults.append((run, "again", again.status, again.said))
            elif side.read(folder) != expected:
                found = side.read(folder)
                faults.append((run, "again", "missing %s, too many %s" % (contents.missing(expected, found), contents.missing(found, expected))))
        except (ValueError, OSError, sqlite3.Error, BrowserError) as error:
            faults.append((run, type(error).__name__, str(error)))
        shutil.rmtree(folder)
        shutil.rmtree(own)
    check("%s: killed %d of %d times: sound, nothing lost or doubled, done again whole, %d opened" % (side.name, hit, run, opened), hit >= runs and not faults, faults[:3])


def without_loss(nodes, clean):
    """Bookmarks without what Chromium cannot hold."""
    kept = []
    for n in nodes:
        if n["kind"] == "separator":
            continue
        n = {k: v for k, v in n.items() if k not in ("tags", "keyword", "post_data")}
        n["title"] = clean(n["title"])
        if n["kind"] == "folder":
            n["children"] = without_loss(n["children"], clean)
        kept.append(n)
    return kept


def across(work):
    """Firefox to Chromium and back."""
    expected = truth("firefox-profile")["view"]
    clean = lambda t: "".join(" " if c in "\n\r\t\u2028\u2029" else c for c in t)
    want = {k: without_loss(v, clean) for k, v in expected["bookmarks"]["roots"].items()}
    home = work.home(work.fixture("firefox-profile"))
    middle = work.fresh_chromium()
    dry = Run(home, "export", os.path.join(middle, "Default"), "--types", TYPES, "--dry-run")
    losses = {(l["type"], l["field"]) for l in dry.report.get("losses", [])}
    check("across: what Chromium cannot hold is said before", {("bookmarks", "tags"), ("bookmarks", "keyword"), ("bookmarks", "kind")} <= losses, losses)
    done = Run(home, "export", os.path.join(middle, "Default"), "--types", TYPES)
    check("across: Firefox to Chromium", done.status in (0, 3), (done.status, done.said))
    found = chromium.view(middle)
    roots = found["bookmarks"]["roots"]
    menu = [n for n in roots["other"] if n["title"] == "Bookmarks menu"]
    roots = {"toolbar": roots["toolbar"], "unfiled": [n for n in roots["other"] if n not in menu], "mobile": roots.get("mobile", []), "menu": menu[0]["children"] if menu else []}
    node = lambda n: (n["kind"], n["title"], n.get("url"))
    same("across: Chromium has the tree", outline(want, node), outline(roots, node))
    visit = lambda v: (v["url"], v["time_usec"], link(v))
    same("across: and the visits with their links", map(visit, expected["history"]["visits"]), map(visit, found["store"]["visits"]))
    pages = {p["url"]: p["title"] or "" for p in expected["history"]["pages"]}
    same("across: and the titles", pages.items(), ((p["url"], p["title"]) for p in found["store"]["pages"]))
    own = [l for l in expected["logins"]["logins"] if l["origin"] != "chrome://FirefoxAccounts"]
    same("across: and the logins", ((l["origin"] + "/" + (l["http_realm"] or ""), l["username"], l["password"]) for l in own),
         ((l["realms"][0], l["username"], l["password"]) for l in found["logins"]["logins"]))
    same("across: and the cards", ((c["name"], c["number"]) for c in expected["payment"]["cards"]), ((c["name"], c["number"]) for c in found["payment"]["cards"]))
    back = work.fresh_firefox()
    done = Run(work.home(os.path.join(middle, "Default")), "export", back, "--types", TYPES)
    check("across: Chromium to Firefox", done.status in (0, 3), (done.status, done.said))
    found = firefox.view(back)
    check("across: nothing that Firefox finds fault with", not found["errors"] and not found["check"]["problems"], (found["errors"], found["check"]))
    same("across: Firefox has its tree again", outline(want, node), outline(found["bookmarks"]["roots"], node))
    same("across: and its visits", map(visit, expected["history"]["visits"]), map(visit, found["history"]["visits"]))
    same("across: and its logins", ((l["origin"], l["http_realm"], l["username"], l["password"]) for l in own),
         ((l["origin"], l["http_realm"], l["username"], l["password"]) for l in found["logins"]["logins"]))


def waits(work, home):
    """A Chromium that is started while Wherry writes waits for it, and shows what was written."""
    folder = work.fresh_chromium()
    process = subprocess.Popen([WHERRY, "export", os.path.join(folder, "Default"), "--types", TYPES, "--home", home, "--json", "--yes"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    lock = os.path.join(folder, "SingletonLock")
    while not os.path.islink(lock) and process.poll() is None:
        time.sleep(0.002)
    try:
        with Chromium(folder) as browser:
            found = chromium.query(browser, ["bookmarks", "history"])
        report = process.communicate()[0].decode()
        check("Chromium: started during the writing, it waits and shows all", process.returncode in (0, 3) and found["bookmarks"]["counts"]["bookmarks"] > 10 and found["history"]["counts"]["pages"] > 30,
              (process.returncode, found["bookmarks"]["counts"], found["history"]["counts"], report[-300:]))
    except BrowserError as error:
        process.communicate()
        check("Chromium: started during the writing, it waits and shows all", False, error)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", choices=["firefox", "chromium", "across", "files"])
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="wherry-browsers-")
    try:
        work = Work(folder)
        sides = [ChromiumSide(), FirefoxSide()]
        for side, other in zip(sides, reversed(sides)):
            if options.only not in (None, side.name.lower()):
                continue
            home, delivered = deliver(side, work)
            # What is new to a profile of the side's fixture.
            strange = work.home(other.source(work))
            with_data(side, work, strange)
            in_use(side, work, home)
            goes_on(side, work, delivered)
            transfers.undone(side, work, strange)
            transfers.received(side, work, home)
            transfers.received_while_open(side, work, home)
            transfers.received_and_killed(side, work, strange, max(1, options.runs // 5), options.seed)
            if side.name == "Chromium":
                waits(work, home)
                try:
                    keyring.keyring(work, home)
                except RuntimeError as error:
                    check("keyring: it can be asked", False, error)
            else:
                transfers.locked(work, strange, firefox)
            killed(side, other, work, options.runs, options.seed)
        if options.only in (None, "across"):
            across(work)
        if options.only in (None, "files"):
            files.judge(work, Run, check, same, truth("firefox-profile")["view"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("%s after %.0f s" % ("%d checks failed: %s" % (len(failures), failures) if failures else "All checks hold", time.monotonic() - started))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
