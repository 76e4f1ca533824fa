"""What profiles hold, read from their files without a browser: for many runs, and for profiles that were hit in the middle
of writing."""
import collections
import json
import os
import shutil
import sqlite3
import tempfile

WEBKIT = 11644473600 * 1000000


def database(path):
    """A copy of a database with its logs, as the browser will find it, opened."""
    folder = tempfile.mkdtemp(prefix="db.")
    try:
        copy = os.path.join(folder, "db")
        for suffix in ("", "-wal", "-journal"):
            if os.path.exists(path + suffix):
                shutil.copy(path + suffix, copy + suffix)
        connection = sqlite3.connect(copy)
        connection.text_factory = lambda b: b.decode("utf-8", "replace")
        lines = [r[0] for r in connection.execute("PRAGMA integrity_check")]
        if lines != ["ok"]:
            raise ValueError("%s: %s" % (os.path.basename(path), lines[:3]))
        return connection
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def document(path):
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as f:
        return json.load(f)


def firefox(profile):
    """Counters of bookmarks (path, kind, title, url), visits (url, time) and logins (origin, row's cipher left out)."""
    places = database(os.path.join(profile, "places.sqlite"))
    nodes = {r[0]: r[1:] for r in places.execute(
        "SELECT b.id, b.parent, b.type, IFNULL(b.title, ''), p.url, b.guid FROM moz_bookmarks b LEFT JOIN moz_places p ON p.id = b.fk")}

    def path(i):
        names = []
        while i in nodes:
            names.append(nodes[i][2])
            i = nodes[i][0]
        return "/".join(reversed(names))
    marks = collections.Counter((path(n[0]), n[1], n[2], n[3]) for n in nodes.values())
    visits = collections.Counter(places.execute(
        "SELECT p.url, v.visit_date, v.visit_type FROM moz_historyvisits v JOIN moz_places p ON p.id = v.place_id"))
    logins = (document(os.path.join(profile, "logins.json")) or {}).get("logins", [])
    return {"bookmarks": marks, "visits": visits,
            "logins": collections.Counter((x["hostname"], x["httpRealm"]) for x in logins if "hostname" in x),
            "cards": collections.Counter(c["cc-name"] for c in (document(os.path.join(profile, "autofill-profiles.json")) or {}).get("creditCards", []))}


def chromium(user_data, name="Default"):
    """The same of a Chromium profile."""
    profile = os.path.join(user_data, name)
    marks = collections.Counter()

    def walk(node, path):
        for child in node.get("children", []):
            marks[path, child["type"], child["name"], child.get("url")] += 1
            walk(child, path + "/" + child["name"])
    for name, root in ((document(os.path.join(profile, "Bookmarks")) or {}).get("roots") or {}).items():
        if isinstance(root, dict):
            walk(root, name)
    history = database(os.path.join(profile, "History"))
    visits = collections.Counter(
        (u, t - WEBKIT, tr & 0xFF) for u, t, tr in history.execute("SELECT u.url, v.visit_time, v.transition FROM visits v JOIN urls u ON u.id = v.url"))
    logins = database(os.path.join(profile, "Login Data"))
    cards = database(os.path.join(profile, "Web Data"))
    return {"bookmarks": marks, "visits": visits,
            "logins": collections.Counter(logins.execute("SELECT signon_realm, username_value FROM logins")),
            "cards": collections.Counter(r[0] for r in cards.execute("SELECT name_on_card FROM credit_cards"))}


def missing(before, after):
    """What was there and is not any more, by kind."""
    return {kind: sum((before[kind] - after[kind]).values()) for kind in before if before[kind] - after[kind]}
