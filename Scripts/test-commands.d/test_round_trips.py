"""Random records through every file that Wherry writes: out, into an empty home, and out and in once more."""

import base64
import collections
import csv
import io
import json
import random
import zipfile

from program import Case

PIECES = ["a", "Z", "7", " ", "é", "日本", "😀", "&", "<b>", '"', "'", "&amp;", "&copy=1", ",", ";", "--", "\\", "%20", "=",
          "</A>", "e\u0301", "\u200f", "=1+1"]
ROOTS = ["toolbar", "menu", "other", "mobile"]
# What tells nothing of a record's content.
PLACES = {"event", "type", "id", "parent", "position", "guid", "application"}


class Records:
    """A generator of what programs hold; the same seed makes the same."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.number = 0

    def text(self, most=10, lines=False):
        pieces = PIECES + ["\n"] if lines else PIECES
        return "".join(self.random.choice(pieces) for _ in range(self.random.randrange(most + 1)))

    def chance(self, percent):
        return self.random.randrange(100) < percent

    def time(self):
        return self.random.randrange(1, 4_000_000_000_000_000)

    def url(self):
        self.number += 1
        return f"https://h{self.number}.test/?" + self.text(4).replace(" ", "%20").replace("\n", "")

    def backup(self, count):
        """A backup of Firefox's, with everything that it can hold."""
        roots = [{"guid": guid, "root": root, "typeCode": 2, "children": []} for guid, root in (
            ("toolbar_____", "toolbarFolder"), ("menu________", "bookmarksMenuFolder"),
            ("unfiled_____", "unfiledBookmarksFolder"), ("mobile______", "mobileFolder"))]
        folders = list(roots)
        for _ in range(count):
            node = {"typeCode": self.random.choice([1, 1, 1, 2, 3]), "dateAdded": self.time(), "lastModified": 0,
                    "guid": base64.urlsafe_b64encode(self.random.randbytes(9)).decode()}
            node["lastModified"] = node["dateAdded"] + self.random.randrange(10**9)
            if node["typeCode"] != 3:
                node["title"] = self.text().strip()
            if node["typeCode"] == 1:
                node["uri"] = self.url()
                if self.chance(30):
                    node["tags"] = ",".join(f"tag {n}" for n in range(self.random.randrange(1, 4)))
                if self.chance(20):
                    node["keyword"] = f"k{self.number}"
            parent = self.random.choice(folders)
            node["index"] = len(parent["children"])
            parent["children"].append(node)
            if node["typeCode"] == 2:
                node["children"] = []
                folders.append(node)
        return json.dumps({"guid": "root________", "root": "placesRoot", "typeCode": 2, "children": roots})

    def logins(self, count, notes=True):
        """A table of Safari's, or one of Firefox's with realms, forms and times."""
        table = io.StringIO()
        rows = csv.writer(table, lineterminator="\n")
        names = ["url", "username", "password"]
        names += ["Title", "Notes", "OTPAuth"] if notes else ["httpRealm", "formActionOrigin", "guid", "timeCreated"]
        rows.writerow(names)
        for _ in range(count):
            row = [self.url(), self.text(lines=True), "p" + self.text(20, lines=True)]
            if notes:
                otp = "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP" if self.chance(30) else ""
                row += [self.text(), self.text(30, lines=True), otp]
            else:
                realm = self.text(5) + "r" if self.chance(30) else ""
                form = "" if realm else "https://form.test"
                row += [realm, form, "{%032x}" % self.random.getrandbits(128), self.time() // 1000]
            rows.writerow(row)
        return table.getvalue()

    def history(self, count):
        """Visits with flags and counts, and redirect chains of any length."""
        entries, time = [], 1_500_000_000_000_000
        while len(entries) < count:
            chain = []
            for _ in range(self.random.choice([1, 1, 1, 2, 5])):
                time += self.random.randrange(1, 10**9)
                entry = {"url": self.url(), "title": self.text(), "time_usec": time, "visit_count": self.random.randrange(1, 9)}
                if self.chance(10):
                    entry["latest_visit_was_load_failure"] = True
                if self.chance(10):
                    entry["latest_visit_was_http_get"] = False
                chain.append(entry)
            for first, second in zip(chain, chain[1:]):
                first["destination_url"], first["destination_time_usec"] = second["url"], second["time_usec"]
                second["source_url"], second["source_time_usec"] = first["url"], first["time_usec"]
            entries += chain
        self.random.shuffle(entries)
        return entries

    def safari(self, path):
        """An export of Safari's with members of every kind, two of them of another profile."""
        envelope = lambda kind, values: json.dumps(
            {"metadata": {"browser_name": "Safari", "data_type": kind, "schema_version": 1}, kind: values}, ensure_ascii=False)
        extensions = [{"composed_identifier": f"test.e{n} (TEAM{n})", "developer_name": self.text(3) + "d",
                       "display_name": self.text(3) + "n", "marketplace_lookup": {"store_identifier": str(n)}} for n in range(1, 9)]
        cards = [{"card_number": number, "card_name": "Card " + self.text(3).strip(), "cardholder_name": "Holder",
                  "card_expiration_month": 1 + n, "card_expiration_year": 2030, "card_last_used_time_usec": self.time() + 0.25}
                 for n, number in enumerate(["4111111111111111", "5555555555554444", "378282246310005"])]
        links = lambda count: "".join(f'<DT><A HREF="https://b{n}.test/">b{n}</A>\n' for n in range(count))
        marks = ("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<HTML>\n<Title>Bookmarks</Title>\n<H1>Bookmarks</H1>\n"
                 f"<DT><H3 FOLDED>Favorites</H3>\n<DL><p>\n{links(9)}</DL><p>\n"
                 f"<DT><H3 FOLDED>Mine</H3>\n<DL><p>\n{links(5)}<DT><H3 FOLDED>Empty</H3>\n<DL><p>\n</DL><p>\n</DL><p>\n"
                 f'<DT><H3 FOLDED id="com.apple.ReadingList">Leseliste</H3>\n<DL><p>\n{links(4)}</DL><p>\n{links(3)}</HTML>\n')
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("Historial.json", envelope("history", self.history(300)))
            archive.writestr("Historial - Work - A.json", envelope("history", self.history(100)))
            archive.writestr("Extensiones.json", envelope("extensions", extensions))
            archive.writestr("Tarjetas.json", envelope("payment_cards", cards))
            archive.writestr("Marcadores.html", marks)
            archive.writestr("Contrasenas.csv", self.logins(60))


class RoundTrips(Case):
    def held(self, home, lost=frozenset()):
        """What a home holds, each record as one line with its place; the fields that were lost are left out."""
        lines = []
        for kind in ("bookmarks", "reading-list", "history", "passwords", "cards", "extensions"):
            result = home.run("list", kind, "--limit", "100000", "--reveal")
            self.assertEqual(result.exit, 0, result)
            paths = {root: (root,) for root in ROOTS}
            places = collections.Counter()
            for record in result.named("record"):
                where = ()
                if kind == "bookmarks":
                    if record["kind"] == "separator" and (record["type"], "kind") in lost:
                        continue
                    where = paths[record["parent"]]
                    places[record["parent"]] += 1
                    if record["kind"] == "folder":
                        paths[record["id"]] = where + (places[record["parent"]],)
                    where = ("?",) if (record["type"], "parent") in lost else where + (places[record["parent"]],)
                fields = {k: v for k, v in record.items() if k not in PLACES and (record["type"], k) not in lost and v not in ("", [])}
                if record.get("kind") == "separator":
                    fields = {"kind": "separator"}
                lines.append((kind, where, json.dumps(fields, sort_keys=True, ensure_ascii=False)))
        return collections.Counter(lines)

    def took(self, home, path):
        result = home.run("import", str(path), "--yes")
        self.assertIn(result.exit, (0, 3), result)
        return result.named("report")[0]

    def wrote(self, home, word, path):
        dry = home.run("export", f"{word}:{path}", "--dry-run", "--yes")
        result = home.run("export", f"{word}:{path}", "--yes")
        self.assertIn(result.exit, (0, 3), result)
        losses = result.named("report")[0]["losses"]
        self.assertEqual(losses, dry.named("report")[0]["losses"])
        return {(loss["type"], loss["field"]) for loss in losses}

    def goes_round(self, source, word, suffix):
        first, second, third = self.home("first"), self.home("second"), self.home("third")
        self.took(first, source)
        before = self.held(first)
        counts = self.took(first, source)["types"]
        self.assertEqual({(t["added"], t["changed"]) for t in counts.values()}, {(0, 0)}, "twice is as once")
        self.assertEqual(self.held(first), before)
        out, again = self.folder / f"out{suffix}", self.folder / f"again{suffix}"
        lost = self.wrote(first, word, out)
        self.took(second, out)
        kinds = {line[0] for line in self.held(second)}
        expected = collections.Counter({k: v for k, v in self.held(first, lost).items() if k[0] in kinds})
        found = self.held(second, lost)
        self.assertFalse(expected - found, f"{word}: missing but not said to be lost")
        # A root that the file does not have becomes one folder.
        self.assertLessEqual(sum((found - expected).values()), 1, f"{word}: {found - expected}")
        counts = self.took(second, out)["types"]
        self.assertEqual({(t["added"], t["changed"]) for t in counts.values()}, {(0, 0)}, "twice is as once")
        # What came from a format goes back into it whole.
        self.assertEqual(self.wrote(second, word, again), set())
        self.took(third, again)
        self.assertEqual(self.held(third), self.held(second))

    def bookmarks(self, word, suffix, seed):
        self.goes_round(self.write("backup.json", Records(seed).backup(150)), word, suffix)

    def test_html_for_firefox(self):
        self.bookmarks("html-firefox", ".html", 1)

    def test_html_for_chromium(self):
        self.bookmarks("html-chromium", ".html", 2)

    def test_html_for_safari(self):
        self.bookmarks("html-safari", ".html", 3)

    def test_backup(self):
        self.bookmarks("json", ".json", 4)

    def test_chromiums_file(self):
        self.bookmarks("chromium-json", ".json", 5)

    def test_table_for_safari(self):
        self.goes_round(self.write("in.csv", Records(6).logins(150)), "csv-safari", ".csv")

    def test_table_for_firefox(self):
        self.goes_round(self.write("in.csv", Records(7).logins(150, notes=False)), "csv-firefox", ".csv")

    def test_table_for_chromium(self):
        self.goes_round(self.write("in.csv", Records(8).logins(150)), "csv-chromium", ".csv")

    def test_safaris_export(self):
        path = self.folder / "in.zip"
        Records(9).safari(path)
        self.goes_round(path, "safari", ".zip")
