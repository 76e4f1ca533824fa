"""Homes that cannot be used, or not at the moment: full, read-only, open to others, damaged."""

import os
import pathlib
import shutil
import signal
import sqlite3
import subprocess
import time

from program import BOOKMARKS, Case, Home, history


def as_root(test):
    def run(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, to mount a small disk")
        test(self)
    run.__name__ = test.__name__
    return run


class SmallDisk(Case):
    """A home on a disk of its own, which can be filled."""

    def disk(self, name, size):
        path = self.folder / name
        path.mkdir()
        mounted = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)], capture_output=True, text=True)
        if mounted.returncode != 0:
            self.skipTest(f"cannot mount a small disk: {mounted.stderr.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", str(path)], check=False)
        return path

    def fill(self, disk, leave=0):
        with open(disk / "filler", "wb") as filler:
            size = 0
            # Somebody else may write at the same time: until it is so.
            for _ in range(20):
                status = os.statvfs(disk)
                more = status.f_bavail * status.f_frsize - leave
                if more < 4096:
                    break
                try:
                    os.posix_fallocate(filler.fileno(), size, more)
                    size += more
                except OSError:
                    pass

    @as_root
    def test_a_full_disk_refuses_an_import_and_leaves_the_store_as_it_was(self):
        disk = self.disk("disk", "8m")
        home = Home(disk / "home")
        self.assertEqual(home.run("import", self.write("in.html", BOOKMARKS)).exit, 0)
        self.fill(disk, leave=400_000)
        big = self.write("big.json", history(60_000, 60_000))
        result = home.run("import", big, "--yes", seconds=120)
        self.assertFails(result, 16, "no_space", says="room")
        os.unlink(disk / "filler")
        self.assertSound(home, open_transfers=0)
        self.assertEqual(self.titles(home), ["One", "Two"])
        self.assertEqual(home.run("list", "history", "--limit", "1").named("record"), [])

    @as_root
    def test_every_command_on_a_disk_without_a_free_byte_says_so(self):
        disk = self.disk("disk", "4m")
        home = Home(disk / "home")
        self.assertEqual(home.run("import", self.write("in.html", BOOKMARKS)).exit, 0)
        self.fill(disk)
        for words in (["import", self.write("more.html", BOOKMARKS.replace("One", "1"))], ["undo"]):
            result = home.run(*words, "--yes")
            self.assertFails(result, 16, "no_space")
        for words in (["status"], ["list", "bookmarks"], ["doctor"]):
            result = home.run(*words)
            self.assertIn(result.exit, (0, 1, 16), result)
            self.assertNotIn("unexpected", result.errors)
        os.unlink(disk / "filler")
        self.assertSound(home, open_transfers=0)
        self.assertEqual(self.titles(home), ["One", "Two"])

    @as_root
    def test_a_new_home_on_a_full_disk(self):
        disk = self.disk("disk", "3m")
        self.fill(disk)
        home = Home(disk / "home")
        for words in (["status"], ["receive"], ["import", self.write("in.html", BOOKMARKS)]):
            self.assertFails(home.run(*words, "--yes"), 16, "no_space")
        os.unlink(disk / "filler")
        self.assertEqual(home.run("import", self.write("in.html", BOOKMARKS)).exit, 0)
        self.assertSound(home)

    @as_root
    def test_too_little_room_for_what_is_offered_is_said_before_anything_is_sent(self):
        old = self.filled_with_history(5_000)
        disk = self.disk("disk", "40m")
        new = Home(disk / "home")
        with old.send() as sender:
            result = new.run("receive", sender.code, "--at", sender.address, "--yes")
            self.assertFails(result, 16, "no_space", says="room")
            self.assertFails(sender.end(), 16, "no_space", says="there")
        self.assertSound(new)
        self.assertEqual(new.run("list", "history", "--limit", "1").named("record"), [])

    @as_root
    def test_a_disk_that_fills_up_in_the_middle_can_be_resumed(self):
        old = self.filled_with_history(60_000)
        disk = self.disk("disk", "160m")
        new = Home(disk / "home")
        with old.send() as sender, new.start(
                "receive", sender.code, "--at", sender.address, "--yes") as receiver:
            receiver.event("chosen")
            # It stands still until the disk is full.
            receiver.signal(signal.SIGSTOP)
            self.fill(disk, leave=300_000)
            receiver.signal(signal.SIGCONT)
            full = receiver.end()
            # 15 where SQLite only says that it could not write.
            self.assertFails(full, full.exit, {15: "interrupted", 16: "no_space"}.get(full.exit), says="--resume")
            os.unlink(disk / "filler")
            self.assertSound(new, open_transfers=1)
            again = new.run("receive", "--resume", "--yes", seconds=120)
            self.assertEqual(again.exit, 0, again)
            sent = sender.end(120)
            self.assertEqual(sent.exit, 0, sent)
            self.assertEqual(sent.named("report")[0]["types"], again.named("report")[0]["types"])
        self.assertSound(new, open_transfers=0)
        self.assertEqual(len(new.run("list", "history").named("record")), 60_000)

    @as_root
    def test_files_for_a_disk_that_fills_up_come_all_or_not_at_all(self):
        old, new, disk = self.home("old"), self.home("new"), self.disk("disk", "160m")
        (self.folder / "app").mkdir()
        files = {f"{number}.bin": os.urandom(1_000_000) for number in range(40)}
        for name, content in files.items():
            (self.folder / "app" / name).write_bytes(content)
        manifest = self.write("manifest.json", '{"id": "a", "version": "1", "root": "app", "paths": ["*.bin"]}')
        target = disk / "target"
        target.mkdir()
        (target / "0.bin").write_bytes(b"mine")
        with old.send("--resources", manifest) as sender, new.start(
                "receive", sender.code, "--at", sender.address, "--resources-into", str(target), "--yes") as receiver:
            receiver.event("chosen")
            receiver.signal(signal.SIGSTOP)
            self.fill(disk, leave=3_000_000)
            receiver.signal(signal.SIGCONT)
            self.assertFails(receiver.end(), 16, "no_space", says="--resume")
            self.assertEqual([path.name for path in target.iterdir()], ["0.bin"])
            self.assertEqual((target / "0.bin").read_bytes(), b"mine")
            os.unlink(disk / "filler")
            again = new.run("receive", "--resume", "--yes", seconds=120)
            self.assertEqual(again.exit, 0, again)
            self.assertEqual(sender.end(120).exit, 0)
        self.assertEqual({path.name: path.read_bytes() for path in target.iterdir()}, files)
        self.assertEqual([path.name for path in disk.iterdir()], ["target"])

    @as_root
    def test_a_sender_whose_disk_is_full_says_so_and_goes_on_later(self):
        disk = self.disk("disk", "24m")
        old, new = Home(disk / "home"), self.home("new")
        source = self.write("in.json", history(60_000, 60_000))
        self.assertEqual(old.run("status").exit, 0)
        self.fill(disk, leave=2_500_000)
        with old.send("--from", source) as sender, new.start(
                "receive", sender.code, "--at", sender.address, "--yes") as receiver:
            sent = sender.end(120)
            self.assertFails(sent, 16, "no_space", says=("room", "wherry send --resume"))
            os.unlink(disk / "filler")
            with old.start("send", "--resume", "--yes") as again:
                done = again.end(180)
                self.assertEqual(done.exit, 0, done)
            self.assertEqual(receiver.end(180).exit, 0)
        self.assertSound(old, open_transfers=0)
        self.assertEqual(len(new.run("list", "history").named("record")), 60_000)

    @as_root
    def test_a_read_only_disk(self):
        disk = self.disk("disk", "8m")
        home = Home(disk / "home")
        self.assertEqual(home.run("import", self.write("in.html", BOOKMARKS)).exit, 0)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        for words in (
                ["status"], ["list", "bookmarks"], ["import", self.write("in2.html", BOOKMARKS)], ["undo"],
                ["send", "--listen", "127.0.0.1:0"], ["receive", "--listen", "127.0.0.1:0"]):
            self.assertFails(home.run(*words, "--yes"), 1, "failed", says="--home")
        empty = Home(disk / "other")
        self.assertFails(empty.run("status"), 1, "failed", says="--home")
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
        self.assertSound(home)
        self.assertEqual(self.titles(home), ["One", "Two"])


class Homes(Case):
    def test_a_home_that_others_can_read(self):
        home = self.filled()
        for name in ("data", "config", "state", "data/store.sqlite", "config/identity.key"):
            path = pathlib.Path(home.path, name)
            if not path.exists():
                candidates = list(pathlib.Path(home.path, "config").iterdir())
                path = candidates[0]
            before = path.stat().st_mode
            path.chmod(before | 0o044)
            result = home.run("send", "--listen", "127.0.0.1:0", "--yes")
            self.assertFails(result, 1, "failed")
            self.assertEqual(path.stat().st_mode, before | 0o044)
            path.chmod(before)
        self.assertSound(home, open_transfers=0)

    def test_a_home_that_is_a_file(self):
        home = Home(self.write("file", "mine"))
        for words in (["status"], ["import", self.write("in.html", BOOKMARKS)], ["receive"]):
            self.assertFails(home.run(*words), 1, "failed", says="--home")
        self.assertEqual(pathlib.Path(home.path).read_text(), "mine")

    def test_no_home_at_all(self):
        home = self.home("none")
        result = home.run("status", environment=home.environment(WHERRY_HOME=None, HOME=None))
        self.assertFails(result, 1, "failed", says="--home")
        result = home.run("status", environment=home.environment(WHERRY_HOME=None, HOME="relative"))
        self.assertFails(result, 1, "failed", says="--home")
        self.assertFalse(pathlib.Path(home.path).exists())

    def test_a_home_that_another_user_may_not_write(self):
        if os.geteuid() != 0:
            self.skipTest("needs root, to become another user")
        self.folder.chmod(0o755)
        program = self.folder / "wherry"
        from program import PROGRAM
        shutil.copy(PROGRAM, program)
        program.chmod(0o755)
        mine = self.filled()
        nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        for path in (mine.path, str(self.folder / "new")):
            home = Home(path)
            done = subprocess.run(
                [*nobody, str(program), "status", "--json"], env=home.environment(), capture_output=True, text=True)
            from program import Result
            self.assertFails(Result(done.returncode, done.stdout, done.stderr), 1, "failed", says="--home")
        self.assertSound(mine)

    def test_a_damaged_store_is_set_aside_and_the_way_out_named(self):
        home = self.filled()
        store = pathlib.Path(home.path, "data/store.sqlite")
        damaged = b"not a database at all" * 1000
        store.write_bytes(damaged)
        for extra in ("-wal", "-shm"):
            pathlib.Path(str(store) + extra).unlink(missing_ok=True)
        result = home.run("status")
        self.assertEqual(result.exit, 0, result)
        self.assertIn("damaged", result.errors)
        aside = [p for p in store.parent.iterdir() if ".damaged-" in p.name]
        self.assertEqual([p.read_bytes() for p in aside], [damaged])
        notices = [e for e in home.run("doctor").named("check") if e["state"] == "notice" and e["name"] == "store"]
        self.assertEqual(len(notices), 1)

    def test_a_store_of_a_newer_version_is_left_as_it_is(self):
        home = self.filled()
        store = pathlib.Path(home.path, "data/store.sqlite")
        with sqlite3.connect(store) as database:
            database.execute("INSERT INTO migration VALUES ('what a later version does')")
        database.close()
        before = store.read_bytes()
        for words in (["status"], ["list", "bookmarks"], ["undo"], ["send", "--listen", "127.0.0.1:0"]):
            self.assertFails(home.run(*words, "--yes"), 14, "incompatible", says="Update Wherry")
        self.assertEqual(store.read_bytes(), before)

    def test_a_store_that_another_program_holds(self):
        home = self.filled()
        store = sqlite3.connect(pathlib.Path(home.path, "data/store.sqlite"), isolation_level=None)
        store.execute("BEGIN EXCLUSIVE")
        result = home.run("import", self.write("in.html", BOOKMARKS.replace("One", "Three")), "--yes")
        self.assertFails(result, 11, "in_use")
        store.execute("ROLLBACK")
        store.close()
        self.assertSound(home)
        self.assertEqual(self.titles(home), ["One", "Two"])

    def test_a_lost_key_is_said_and_nothing_else_is_lost(self):
        home = self.filled()
        card = self.write("cards.json", """{"metadata": {"browser_name": "Safari", "data_type": "payment_cards",
          "schema_version": 1}, "payment_cards": [{"card_number": "4012888888881881", "cardholder_name": "A",
          "card_expiration_month": 3, "card_expiration_year": 2031}]}""")
        self.assertEqual(home.run("import", card).exit, 0)
        for path in pathlib.Path(home.path, "config").iterdir():
            if "identity" not in path.name:
                path.unlink()
        result = home.run("list", "cards", "--reveal")
        self.assertFails(result, 1, "failed", says="config/")
        self.assertEqual(self.titles(home), ["One", "Two"])
