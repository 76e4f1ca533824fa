"""Canaries: secret values that go through every command, and must come out nowhere but where they are asked for."""

import base64
import json
import os
import pathlib
import re
import signal
import tempfile
import threading
import time

from program import Case, Running, other_code

PASSWORD = "kanari-PASSWORT-7f3a91"
OTHER = "kanari-ANDERES-55c0de"
NOTE = "kanari-NOTIZ-c4c4c4"
OTP = "KANARIENVOGELGEHEIM23456"
NUMBER = "4012888888881881"
SECRETS = [PASSWORD, OTHER, NOTE, OTP, NUMBER]


def forms(secret):
    """A secret as it may stand somewhere: plain, in UTF-16, in hexadecimal, in Base64 at any offset, in groups."""
    plain = secret.encode()
    found = {plain, secret.encode("utf-16-le"), plain.hex().encode(), plain.hex().upper().encode()}
    for offset in range(3):
        text = base64.b64encode(b"\0" * offset + plain)
        # Without the ends, which depend on what stands beside it.
        found.add(text[4 if offset else 0:len(text) - 4])
    if secret.isdigit():
        found.add(b" ".join(plain[i:i + 4] for i in range(0, len(plain), 4)))
        found.add(b"-".join(plain[i:i + 4] for i in range(0, len(plain), 4)))
    return found


class Canaries(Case):
    def setUp(self):
        super().setUp()
        self.said = []
        self.codes = set()
        # What the program makes as temporary files lies here, and is looked at, too.
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()

    def environment(self, home, **more):
        return home.environment(TMPDIR=str(self.temporary), **more)

    def note(self, result, what):
        output = "\n".join(
            line for line in result.output.splitlines() if '"event":"code"' not in line)
        # A list is asked for notes, too; what it hides are passwords, one-time secrets and numbers of cards.
        if what[0] == "list":
            output = output.replace(NOTE, "")
        self.said.append((what, output + "\n" + result.errors))
        return result

    def says(self, home, *words, exit=(0,), json=True, **options):
        result = self.note(home.run(*words, environment=self.environment(home), json=json, **options), words)
        self.assertIn(result.exit, exit, result)
        return result

    def sources(self):
        logins = self.write("logins.csv", "\r\n".join([
            "Title,URL,Username,Password,Notes,OTPAuth",
            f"One,https://one.test/,ann,{PASSWORD},{NOTE},otpauth://totp/One:ann?secret={OTP}&issuer=One",
            f"Two,https://two.test/,bob,{PASSWORD}2,,"]) + "\r\n")
        changed = self.write("changed.csv", "\r\n".join([
            "Title,URL,Username,Password,Notes,OTPAuth",
            f"One,https://one.test/,ann,{OTHER},{NOTE},otpauth://totp/One:ann?secret={OTP}&issuer=One"]) + "\r\n")
        broken = self.write("broken.csv", "\r\n".join([
            "Title,URL,Username,Password,Notes,OTPAuth",
            f"Bad,not an address at all,ann,{PASSWORD},,otpauth://nonsense/{OTP}",
            f"Bad2,https://three.test/,ann,{PASSWORD},{NOTE},{OTP}"]) + "\r\n")
        cards = self.write("cards.json", json.dumps({
            "metadata": {"browser_name": "Safari", "data_type": "payment_cards", "schema_version": 1},
            "payment_cards": [
                {"card_number": NUMBER, "cardholder_name": "Ann Person", "card_expiration_month": 3,
                 "card_expiration_year": 2031},
                {"card_number": NUMBER[:-1] + "2", "cardholder_name": "Ann Person", "card_expiration_month": 99}]}))
        return logins, changed, broken, cards

    def transfer(self, old, new, command, *more):
        """A whole transfer, looked at while it runs."""
        stop = threading.Event()
        with old.start("send", "--listen", "127.0.0.1:0", "--yes", "--verbose", *more,
                       environment=self.environment(old)) as sender:
            address = sender.event("listening")["addresses"][0]
            event = sender.event("code")
            self.codes |= {event["code"], event["code"].replace(" ", ""), event["uri"].split("s=")[1].split("&")[0]}
            code = {"code": event["code"], "digits": event["code"].replace(" ", ""), "uri": event["uri"]}[command]
            where = [] if command == "uri" else ["--at", address]
            with new.start("receive", code, *where, "--yes", "--verbose", "--types", "all",
                           environment=self.environment(new)) as receiver:
                watch = threading.Thread(
                    target=self.watch, args=((sender, receiver), stop), daemon=True)
                watch.start()
                received, sent = receiver.end(), sender.end()
                stop.set()
                watch.join(5)
        self.note(received, "receive")
        self.note(sent, "send")
        return received, sent

    def watch(self, processes, stop):
        while not stop.is_set():
            for running in processes:
                process = running.process.pid
                # The very first moments, before the program has run a line, belong to the system.
                if not running.lines + running.complaints:
                    continue
                for name in ("cmdline", "environ", "limits", "comm"):
                    try:
                        text = pathlib.Path(f"/proc/{process}/{name}").read_bytes()
                    except OSError:
                        continue
                    if name == "limits":
                        if re.search(rb"Max core file size +0 +0 ", text) is None and text:
                            self.said.append(("limits", "core files are allowed"))
                        continue
                    self.said.append((f"/proc/PID/{name}", text.decode(errors="replace")))
            time.sleep(0.02)

    def test_no_secret_comes_out_where_nobody_asked_for_it(self):
        old, new = self.home("old"), self.home("new")
        logins, changed, broken, cards = self.sources()
        self.says(old, "import", logins, cards, "--verbose", exit=(0, 3))
        self.says(old, "import", broken, "--verbose", exit=(0, 3))
        self.says(old, "import", changed, "--dry-run", "--verbose", exit=(0, 3))
        for command in ("code", "digits", "uri"):
            received, sent = self.transfer(old, new, command, "--types", "all")
            self.assertIn(received.exit, (0, 3), received)
            self.assertIn(sent.exit, (0, 3), sent)
        received, sent = self.transfer(old, self.home("third"), "code", "--types", "all", "--from", logins)
        self.assertIn(sent.exit, (0, 3), sent)
        self.says(new, "import", changed, "--verbose", exit=(0, 3))
        for home in (old, new):
            for type in ("passwords", "cards", "bookmarks"):
                self.says(home, "list", type)
                self.says(home, "list", type, json=False)
                self.says(home, "list", type, "--search", "ann")
            for words in (["conflicts"], ["conflicts", "list"], ["status", "--verbose"], ["doctor", "--verbose"],
                          ["sources"], ["export", f"csv-safari:{self.folder}/out.csv", "--dry-run", "--verbose"],
                          ["export", f"safari:{self.folder}/out.zip", "--dry-run", "--verbose"]):
                self.says(home, *words)
                self.says(home, *words, json=False)
        self.says(old, "list", "passwords", "--from", logins)
        # Runs that fail.
        with old.send("--types", "all", environment=self.environment(old)) as sender:
            self.codes |= {sender.code, sender.code.replace(" ", "")}
            wrong = other_code(sender.code)
            self.codes.add(wrong)
            self.says(new, "receive", wrong, "--at", sender.address, "--yes", exit=(12,))
            self.says(new, "receive", sender.code[:-1], "--at", sender.address, "--yes", exit=(12,))
            self.says(new, "receive", sender.code, "extra words", "--at", sender.address, exit=(12, 64))
            sender.signal(signal.SIGTERM)
            self.note(sender.end(), "send")
        self.says(new, "import", logins, "/nonexistent", exit=(10,))
        self.says(new, "undo", "--verbose", exit=(0, 3))
        self.says(new, "undo", "--verbose", exit=(0, 3))
        # That the canaries are there at all.
        revealed = old.run("list", "passwords", "--reveal").output + old.run("list", "cards", "--reveal").output
        for secret in (PASSWORD, OTP, NUMBER):
            self.assertIn(secret, revealed)
        self.judge([old, new, self.home("third")])

    def judge(self, homes):
        secrets = {form for secret in SECRETS for form in forms(secret)}
        codes = {code.encode() for code in self.codes}
        keys = set()
        for home in homes:
            for path in pathlib.Path(home.path, "config").iterdir():
                self.assertEqual(path.stat().st_mode & 0o077, 0, path)
                key = path.read_bytes()
                if len(key) >= 32:
                    keys |= {key[-32:], key[-32:].hex().encode(), base64.b64encode(key[-32:])}
        for what, text in self.said:
            self.assertNotEqual((what, text), ("limits", "core files are allowed"))
            for secret in secrets | codes | keys:
                self.assertNotIn(secret, text.encode(errors="replace"), what)
        places = [pathlib.Path(home.path) for home in homes] + [self.temporary]
        looked = 0
        for place in places:
            for path in place.rglob("*"):
                if not path.is_file():
                    continue
                self.assertEqual(path.stat().st_mode & 0o077, 0, path)
                content = path.read_bytes()
                looked += 1
                for secret in secrets | codes:
                    self.assertNotIn(secret, content, path)
                if path.parent.name != "config":
                    for key in keys:
                        self.assertNotIn(key, content, path)
        self.assertGreater(looked, 6)
        self.assertEqual([p for p in self.temporary.rglob("*") if p.is_file()], [])

    def test_a_code_in_an_argument_is_wiped_from_the_process_title(self):
        import strangers
        from program import check_digit
        digits = "482193657" + check_digit("482193657")
        grouped = f"{digits[:2]} {digits[2:5]} {digits[5:8]} {digits[8:]}"
        with strangers.Stranger(strangers.says_nothing) as stranger:
            for words in ([digits], [grouped], grouped.split(" "), [digits[:5] + "-" + digits[5:]]):
                home = self.home("h%d" % len(words))
                visits = stranger.visits
                with home.start("receive", *words, "--at", stranger.address, "--yes") as receiver:
                    while stranger.visits == visits:
                        time.sleep(0.02)
                    title = pathlib.Path(f"/proc/{receiver.process.pid}/cmdline").read_bytes()
                    shown = re.sub(rb"\D", b"", title.replace(stranger.address.encode(), b""))
                    self.assertNotIn(digits.encode(), shown)
                    # Not even a group of it.
                    for group in grouped.split(" "):
                        self.assertNotIn(group.encode(), title.replace(stranger.address.encode(), b"").split(b"\0"))
                    receiver.signal(signal.SIGINT)
                    receiver.end()


class Partial(Case):
    """Records that cannot be taken are named at the end that knows them, and the exit status is 3."""

    def test_what_the_capture_skips_is_said_by_the_sender(self):
        page = "https://long.test/" + "x" * 200_000
        text = ('<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n<DT><A HREF="https://one.test/">One</A>\n'
                f'<DT><A HREF="{page}">Too long</A>\n</DL><p>\n')
        source = self.write("in.html", text)
        old, new = self.home("old"), self.home("new")
        with old.send("--from", source) as sender:
            received = new.run("receive", sender.code, "--at", sender.address, "--yes")
            sent = sender.end()
        self.assertEqual(received.exit, 0, received)
        self.assertEqual(sent.exit, 3, sent)
        report = sent.named("report")[0]
        self.assertEqual(report["types"]["bookmarks"]["skipped"], 1)
        self.assertEqual(len(report["skipped"]), 1)
        self.assertIn("128 KiB", report["skipped"][0]["reason"])
        self.assertIn("Skipped", sent.errors)
        self.assertEqual(self.titles(new), ["One"])
