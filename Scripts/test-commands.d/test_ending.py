"""A run that is ended from outside: Ctrl-C in each phase, a closed terminal, a reader that has gone."""

import os
import pathlib
import signal
import subprocess
import time

import strangers
from program import BOOKMARKS, PROGRAM, Case, Running, check_digit, history

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopping(Case):
    def assertStopped(self, result, says=None):
        self.assertFails(result, 130)
        self.assertIn("Stopped", result.errors)
        if says:
            self.assertIn(says, result.errors)

    def test_while_a_code_is_shown(self):
        for number in SIGNALS:
            old = self.filled(f"old-{number}")
            with old.send() as sender:
                sender.signal(number)
                self.assertStopped(sender.end(20))
            self.assertSound(old, open_transfers=0)

    def test_while_the_other_side_does_not_answer(self):
        code = "482193657" + check_digit("482193657")
        with strangers.Stranger(strangers.says_nothing) as stranger:
            new = self.home("new")
            with new.start("receive", code, "--at", stranger.address, "--yes") as receiver:
                while stranger.visits == 0:
                    time.sleep(0.05)
                receiver.signal(signal.SIGINT)
                self.assertStopped(receiver.end(20))
            self.assertSound(new, open_transfers=0)

    def test_while_it_waits_for_the_other_person(self):
        # Nobody chooses at the importer: a terminal is there, but nobody types.
        old, new = self.filled(), self.home("new")
        with old.send() as sender:
            primary, secondary = os.openpty()
            receiver = subprocess.Popen(
                [PROGRAM, "receive", sender.code, "--at", sender.address], env=new.environment(TERM="xterm"),
                stdin=secondary, stdout=secondary, stderr=secondary, start_new_session=True)
            os.close(secondary)
            sender.event("connected")
            time.sleep(1)
            sender.signal(signal.SIGINT)
            self.assertStopped(sender.end(20), says="wherry send --resume")
            receiver.send_signal(signal.SIGINT)
            self.assertEqual(receiver.wait(20), 130)
            os.close(primary)
        self.assertSound(old, open_transfers=1)
        self.assertSound(new, open_transfers=1)

    def test_while_records_flow_on_either_side(self):
        old = self.filled_with_history(60_000)
        for command in ("send", "receive"):
            new = self.home("new-" + command)
            with old.send() as sender, new.start(
                    "receive", sender.code, "--at", sender.address, "--yes") as receiver:
                receiver.event("progress")
                stopped, home = (sender, old) if command == "send" else (receiver, new)
                stopped.signal(signal.SIGINT)
                self.assertStopped(stopped.end(30), says=f"wherry {command} --resume")
                self.assertSound(home, open_transfers=1)
                with home.start(command, "--resume", "--yes") as again:
                    self.assertEqual(again.end(120).exit, 0)
                other = receiver if command == "send" else sender
                self.assertEqual(other.end(120).exit, 0)
            self.assertEqual(len(new.run("list", "history").named("record")), 60_000)
            self.assertSound(old, open_transfers=0)
            self.assertSound(new, open_transfers=0)

    def test_in_the_middle_of_an_import(self):
        home = self.filled()
        path = self.write("big.json", history(200_000, 200_000))
        with home.start("import", path, "--yes") as running:
            time.sleep(0.7)
            running.signal(signal.SIGINT)
            result = running.end(30)
        self.assertStopped(result)
        self.assertSound(home)
        self.assertEqual(home.run("list", "history", "--limit", "1").named("record"), [])

    def test_nohup_goes_on_when_the_terminal_closes(self):
        old, new = self.filled(), self.home("new")
        ignore = lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)
        with old.send(preexec_fn=ignore) as sender:
            sender.signal(signal.SIGHUP)
            result = new.run("receive", sender.code, "--at", sender.address, "--yes")
            self.assertEqual(result.exit, 0, result)
            self.assertEqual(sender.end().exit, 0)


class Streams(Case):
    def run_with(self, home, words, **streams):
        return subprocess.run([PROGRAM, *words], env=home.environment(), timeout=60, **streams)

    def test_a_reader_that_has_gone_is_no_failure(self):
        home = self.filled_with_history(20_000)
        reading, writing = os.pipe()
        process = subprocess.Popen(
            [PROGRAM, "list", "history", "--json"], env=home.environment(), stdout=writing, stderr=subprocess.PIPE)
        os.close(writing)
        os.read(reading, 100)
        os.close(reading)
        self.assertEqual(process.wait(60), 0)
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()

    def test_a_transfer_outlives_the_reader_of_its_events(self):
        old, new = self.filled_with_history(20_000), self.home("new")
        with old.send() as sender:
            reading, writing = os.pipe()
            receiver = subprocess.Popen(
                [PROGRAM, "receive", sender.code, "--at", sender.address, "--yes", "--json"],
                env=new.environment(), stdout=writing, stderr=subprocess.DEVNULL)
            os.close(writing)
            os.read(reading, 10)
            os.close(reading)
            self.assertEqual(receiver.wait(60), 0)
            self.assertEqual(sender.end().exit, 0)
        self.assertEqual(len(new.run("list", "history").named("record")), 20_000)

    def test_a_full_disk_behind_standard_output(self):
        home = self.filled()
        with open("/dev/full", "w") as full:
            done = self.run_with(home, ["list", "bookmarks"], stdout=full, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 16)
        self.assertIn(b"standard output", done.stderr)

    def test_closed_standard_streams_never_become_the_store(self):
        for closed in ((0,), (1,), (2,), (0, 1, 2)):
            home = self.home("closed-" + "".join(map(str, closed)))
            path = self.write("in.html", BOOKMARKS)

            def close():
                for descriptor in closed:
                    os.close(descriptor)

            done = subprocess.run(
                [PROGRAM, "import", path, "--json", "--yes"], env=home.environment(), preexec_fn=close, timeout=60,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0)
            self.assertSound(home)
            self.assertEqual(self.titles(home), ["One", "Two"])
            for file in pathlib.Path(home.path).rglob("*"):
                if file.is_file():
                    self.assertNotIn(b'"event"', file.read_bytes(), file)

    def test_without_a_terminal_no_escape_is_written(self):
        old, new = self.filled(), self.home("new")
        xterm = old.environment(TERM="xterm-256color")
        with old.send(environment=xterm) as sender:
            self.assertNoEscapes(new.run("receive", sender.code, "--at", sender.address, "--yes"))
            self.assertNoEscapes(sender.end())
        demo = self.home("demo").run("demo", "--yes", json=False, seconds=120)
        self.assertEqual(demo.exit, 0, demo)
        self.assertNoEscapes(demo)
        self.assertIn("passwords", demo.output + demo.errors)


class LifeTime(Case):
    """A transfer lives for seven days after the last contact."""

    def age(self, home, days):
        import sqlite3
        with sqlite3.connect(pathlib.Path(home.path, "data/store.sqlite")) as store:
            store.execute("UPDATE session SET last_contact = last_contact - ?", (days * 86_400_000_000,))
        store.close()

    def suspended(self):
        """Two homes between which a transfer was cut."""
        # On a busy machine a transfer may be done before it is killed; another one is then begun.
        for attempt in range(5):
            old, new = self.filled_with_history(60_000, f"old-{attempt}"), self.home(f"new-{attempt}")
            with old.send() as sender, new.start(
                    "receive", sender.code, "--at", sender.address, "--yes") as receiver:
                receiver.event("progress")
                receiver.signal(signal.SIGKILL)
                receiver.end()
                sender.signal(signal.SIGKILL)
                sender.end()
            if all(home.run("status").named("status")[0]["transfers"] for home in (old, new)):
                break
        self.assertSound(old, open_transfers=1)
        self.assertSound(new, open_transfers=1)
        return old, new

    def test_after_six_days_it_goes_on_and_after_seven_it_is_gone(self):
        old, new = self.suspended()
        self.age(old, 6)
        self.age(new, 8)
        self.assertFails(new.run("receive", "--resume", "--yes"), 10, "not_found")
        self.age(new, -8)
        with old.start("send", "--resume", "--yes") as sender:
            address = sender.event("listening")["addresses"][0]
            again = new.run("receive", "--resume", "--at", address, "--yes", seconds=180)
            self.assertEqual(again.exit, 0, again)
            self.assertEqual(sender.end(180).exit, 0)
        self.assertEqual(len(new.run("list", "history").named("record")), 60_000)

    def test_what_the_other_side_has_forgotten_is_gone(self):
        old, new = self.suspended()
        self.age(old, 8)
        self.assertFails(old.run("send", "--resume", "--yes"), 10, "not_found")
        # There stands another transfer at that place now.
        with old.send() as sender:
            gone = new.run("receive", "--resume", "--at", sender.address, "--yes", seconds=120)
            self.assertFails(gone, 10, "not_found")
        self.assertSound(new, open_transfers=0)
