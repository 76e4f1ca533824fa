"""Sources that are missing, locked, damaged, of an unknown layout, or no source at all."""

import pathlib
import shutil
import sqlite3
import subprocess
import tarfile

from program import BOOKMARKS, Case

FIXTURES = pathlib.Path(__file__).parent.parent.parent / "Tests/BrowsersTests/Fixtures"


def state(folder):
    return {
        str(p.relative_to(folder)): (p.stat().st_mtime_ns, p.stat().st_mode, p.is_file() and p.read_bytes())
        for p in sorted(pathlib.Path(folder).rglob("*"))}


class Profiles(Case):
    def profile(self, name="firefox-profile"):
        with tarfile.open(FIXTURES / f"{name}.tar.gz") as archive:
            folder = self.folder / name
            archive.extractall(folder)
        inner = [p for p in folder.iterdir()]
        return inner[0] if len(inner) == 1 and inner[0].is_dir() else folder

    def refused(self, source, exit, word, says=(), more=()):
        """Every command that reads a source refuses this one in the same way and changes nothing."""
        before = state(source) if pathlib.Path(source).exists() else None
        home = self.filled()
        for words in (
                ["import", str(source)], ["list", "bookmarks", "--from", str(source)],
                ["send", "--from", str(source), "--listen", "127.0.0.1:0"],
                ["export", f"html:{self.folder}/out.html", "--from", str(source)]):
            result = home.run(*words, *more, "--yes")
            self.assertFails(result, exit, word, says=says)
            self.assertEqual(result.named("code"), [])
        self.assertEqual(list(self.folder.glob("out.html*")), [])
        if before is not None:
            self.assertEqual(state(source), before)
        self.assertSound(home, open_transfers=0)
        self.assertEqual(self.titles(home), ["One", "Two"])

    def test_a_path_that_is_not_there(self):
        self.refused(self.folder / "nothing", 10, "not_found", says="path")

    def test_a_browser_that_is_not_there(self):
        home = self.filled()
        for words in (["import", "firefox"], ["import", "chrome:Work"], ["send", "--from", "firefox:nobody"]):
            self.assertFails(home.run(*words, "--yes"), 10, "not_found", says="wherry sources")

    def test_an_empty_folder(self):
        folder = self.folder / "empty"
        folder.mkdir()
        self.refused(folder, 17, "bad_input")

    def test_a_file_that_is_nothing_we_know(self):
        self.refused(self.write("rubbish.bin", "\x01\x02\x03" * 100), 17, "bad_input")

    def test_a_firefox_profile_of_an_unknown_layout(self):
        profile = self.profile()
        with sqlite3.connect(profile / "places.sqlite") as database:
            database.execute("PRAGMA user_version = 86000")
        database.close()
        self.refused(profile, 14, "incompatible", says=("places.sqlite", "newer Wherry"))

    def test_a_damaged_firefox_profile(self):
        profile = self.profile()
        places = profile / "places.sqlite"
        bytes = bytearray(places.read_bytes())
        bytes[4096:4096 * 40] = b"\x55" * (4096 * 39)
        places.write_bytes(bytes)
        self.refused(profile, 17, "bad_input", says="places.sqlite")

    def test_a_firefox_profile_that_another_program_holds(self):
        profile = self.profile()
        holder = sqlite3.connect(profile / "places.sqlite", isolation_level=None)
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        home = self.filled()
        # It is read through a copy: that another program has it open hinders nothing.
        result = home.run("import", str(profile), "--types", "bookmarks")
        self.assertIn(result.exit, (0, 11), result)
        holder.close()
        self.assertSound(home)

    def test_a_profile_whose_files_are_not_ours_to_read(self):
        import os
        if os.geteuid() == 0:
            self.skipTest("root may read everything")
        profile = self.profile()
        (profile / "places.sqlite").chmod(0)
        self.refused(profile, 1, "failed")

    def test_a_primary_password_that_nobody_gives_or_that_is_wrong(self):
        profile, home = self.profile("firefox-profile-primary-password"), self.home("new")
        result = home.run("import", str(profile), "--yes")
        self.assertFails(result, 12, "wrong_code", says="--password-file")
        wrong = self.write("password", "certainly not\n")
        result = home.run("import", str(profile), "--password-file", wrong, "--yes")
        self.assertFails(result, 12, "wrong_code")
        self.assertNotIn("certainly", result.output + result.errors)
        missing = home.run("import", str(profile), "--password-file", "/nonexistent", "--yes")
        self.assertFails(missing, 10, "not_found", says="--password-file")
        self.assertEqual(home.run("list", "bookmarks").named("record"), [])
        self.assertSound(home)

    def test_damaged_files(self):
        for name, text in (
                ("cut.json", '{"metadata": {"browser_name": "Safari", "data_type": "history", "schema_version": 1},'
                             ' "history": [{"url": "https://one.test/", "time_usec": 1600'),
                ("cut.zip", "PK\x03\x04 and then nothing")):
            home = self.filled(name)
            result = home.run("import", self.write("f-" + name, text), "--yes")
            self.assertFails(result, 17, "bad_input", says=name)
            self.assertEqual(self.titles(home), ["One", "Two"])
            self.assertSound(home)

    def test_a_line_that_is_damaged_is_named_and_the_rest_is_taken(self):
        home = self.home("new")
        text = "url,username,password\nhttps://a.test/,ann,kanari-1\n\"https://b.test,bob"
        result = home.run("import", self.write("in.csv", text), "--yes")
        self.assertEqual(result.exit, 3, result)
        report = result.named("report")[0]
        self.assertEqual(report["types"]["passwords"]["added"], 1)
        self.assertEqual([line["line"] for line in report["skipped"]], [3])
        self.assertSound(home)

    def test_a_wrong_file_among_several_changes_nothing(self):
        home = self.home("new")
        good, bad = self.write("good.html", BOOKMARKS), self.write("bad.json", '{"history": [')
        self.assertNotEqual(home.run("import", good, bad, "--yes").exit, 0)
        self.assertEqual(home.run("list", "bookmarks").named("record"), [])


class Usage(Case):
    def test_wrong_arguments_of_every_kind(self):
        home = self.home("new")
        for words in (
                ["nothing"], ["send", "--nothing"], ["send", "--listen"], ["send", "--listen", "x"],
                ["send", "--at", "127.0.0.1:1"], ["send", "--at", "x", "1"], ["receive", "1", "--resume"],
                ["receive", "1", "--listen", "127.0.0.1:0"], ["list"], ["list", "nothing"],
                ["list", "history", "--limit", "x"], ["import"], ["export"], ["export", "what.xyz"],
                ["undo", "x"], ["send", "--types", "nothing"], ["receive", "--into", "nonsense"],
                ["status", "extra"], ["send", "--resume", "--from", "firefox"], ["import", "store"]):
            result = home.run(*words)
            self.assertFails(result, 64, "usage")
        self.assertFails(home.run("undo"), 10, "not_found")
        self.assertFails(home.run("undo", "7"), 10, "not_found")
        for command in ("send", "receive"):
            self.assertFails(home.run(command, "--resume"), 10, "not_found", says="status")
            self.assertFails(home.run(command, "--resume", "12345678"), 10, "not_found")
        self.assertFails(home.run("send"), 10, "not_found", says="wherry sources")
