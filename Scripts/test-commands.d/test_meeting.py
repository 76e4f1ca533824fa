"""How two ends meet, or do not."""

import os
import pathlib
import socket
import threading
import time

import strangers
from program import BOOKMARKS, Case, check_digit, other_code


class Codes(Case):
    def receive(self, home, code, address, *more, **options):
        return home.run("receive", code, "--at", address, "--yes", *more, **options)

    def test_a_code_with_a_wrong_check_digit_is_refused_before_any_network(self):
        with strangers.Stranger(strangers.says_nothing) as stranger:
            right = "482193657"
            wrong = right + str((int(check_digit(right)) + 1) % 10)
            for command in ("receive", "send"):
                home = self.filled(command)
                result = home.run(command, wrong, "--at", stranger.address, "--yes")
                self.assertFails(result, 12, "wrong_code", says="check digit")
                self.assertSound(home, open_transfers=0)
            self.assertEqual(stranger.visits, 0)

    def test_what_is_no_code_at_all_is_refused(self):
        home = self.home("new")
        for text in ("123", "12345678901", "hello", "48219365\u00b74", "wherry:1?a=x", "wherry:"):
            result = home.run("receive", text, "--at", "127.0.0.1:1", "--yes")
            self.assertFails(result, 12, "wrong_code")
            if text != "wherry:":
                self.assertNotIn(text, result.errors + result.output)

    def test_three_wrong_codes_kill_the_code_and_both_ends_say_so(self):
        old, new = self.filled(), self.home("new")
        with old.send() as sender:
            for _ in range(3):
                wrong = self.receive(new, other_code(sender.code), sender.address)
                self.assertFails(wrong, 12, "wrong_code", says="code")
            self.assertFails(sender.end(), 12, "wrong_code", says="three times")
            late = self.receive(new, sender.code, sender.address)
            self.assertFails(late, 10, "not_found")
        self.assertSound(old, open_transfers=0)
        self.assertSound(new, open_transfers=0)
        self.assertEqual(self.titles(new), [])

    def test_two_wrong_codes_leave_the_right_one_good(self):
        old, new = self.filled(), self.home("new")
        with old.send() as sender:
            for _ in range(2):
                self.assertFails(self.receive(new, other_code(sender.code), sender.address), 12, "wrong_code")
            self.assertEqual(self.receive(new, sender.code, sender.address).exit, 0)
            self.assertEqual(sender.end().exit, 0)

    def test_a_used_code_is_of_no_use_to_another(self):
        old, new, third = self.filled_with_history(20_000), self.home("new"), self.home("third")
        with old.send() as sender, new.start(
                "receive", sender.code, "--at", sender.address, "--yes") as receiver:
            receiver.event("connected")
            late = self.receive(third, sender.code, sender.address)
            self.assertIn(late.exit, (10, 12, 13), late)
            self.assertFails(late, late.exit, {10: "not_found", 12: "wrong_code", 13: "untrusted"}[late.exit])
            self.assertEqual(receiver.end().exit, 0)
            self.assertEqual(sender.end().exit, 0)
        self.assertSound(third, open_transfers=0)

    def test_two_ends_of_one_role_do_not_fit(self):
        old, other = self.filled(), self.filled("other")
        with old.send() as sender:
            result = other.run("send", sender.code, "--at", sender.address, "--yes")
            self.assertFails(result, 14, "incompatible", says="receive")
        with other.listen("receive") as receiver:
            result = self.home("third").run("receive", receiver.code, "--at", receiver.address, "--yes")
            self.assertFails(result, 14, "incompatible", says="send")

    def test_the_code_may_come_from_a_file_or_standard_input_or_the_address_of_the_qr_code(self):
        old = self.filled()
        with old.send() as sender:
            path = self.write("code", sender.code + "\n")
            new = self.home("by-file")
            result = new.run(
                "receive", "--at", sender.address, "--yes", environment=new.environment(WHERRY_CODE_FILE=path))
            self.assertEqual(result.exit, 0, result)
            self.assertEqual(sender.end().exit, 0)
        with old.start("send", "--listen", "127.0.0.1:0", "--yes") as sender:
            uri = sender.event("code")["uri"]
            result = self.home("by-uri").run("receive", uri, "--yes")
            self.assertEqual(result.exit, 0, result)
            self.assertEqual(sender.end().exit, 0)
        missing = self.home("missing")
        result = missing.run(
            "receive", "--at", "127.0.0.1:1", environment=missing.environment(WHERRY_CODE_FILE="/nonexistent"))
        self.assertFails(result, 64, "usage", says="WHERRY_CODE_FILE")
        result = missing.run("receive", "-", "--at", "127.0.0.1:1")
        self.assertFails(result, 64, "usage", says="WHERRY_CODE_FILE")

    def test_nobody_agrees_where_nobody_can_be_asked(self):
        old, new = self.filled(), self.home("new")
        with old.start("send", "--listen", "127.0.0.1:0") as sender:
            address = sender.event("listening")["addresses"][0]
            result = self.receive(new, sender.event("code")["code"], address)
            self.assertFails(result, 4, "declined")
            self.assertFails(sender.end(), 4, "declined", says="--yes")
        self.assertSound(new, open_transfers=0)


class Ports(Case):
    code = "4821936574"[:9] + check_digit("482193657")

    def meets(self, serve, exit, word, **options):
        with strangers.Stranger(serve) as stranger:
            home = self.home("new")
            began = time.monotonic()
            result = home.run("receive", self.code, "--at", stranger.address, "--yes")
            self.assertFails(result, exit, word, **options)
            self.assertLess(time.monotonic() - began, 30)
            self.assertSound(home, open_transfers=0)

    def test_nobody_listens(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
        result = self.home("new").run("receive", self.code, "--at", f"127.0.0.1:{port}", "--yes")
        self.assertFails(result, 10, "not_found", says="address")

    def test_a_host_that_does_not_exist(self):
        result = self.home("new").run("receive", self.code, "--at", "nowhere.invalid:4000", "--yes")
        self.assertFails(result, 10, "not_found")

    def test_a_port_that_swallows_everything(self):
        # A listener whose queue is full answers nothing, as a firewall does.
        with socket.socket() as server:
            server.bind(("127.0.0.1", 0))
            server.listen(0)
            waiting = []
            for _ in range(4):
                visitor = socket.socket()
                visitor.setblocking(False)
                visitor.connect_ex(server.getsockname())
                waiting.append(visitor)
            time.sleep(0.2)
            address = "127.0.0.1:%d" % server.getsockname()[1]
            result = self.home("new").run("receive", self.code, "--at", address, "--yes")
            self.assertFails(result, 10, "not_found")
            for visitor in waiting:
                visitor.close()

    def test_a_greeting_of_another_protocol(self):
        self.meets(strangers.banner, 14, "incompatible", says="no Wherry")

    def test_a_web_server(self):
        self.meets(strangers.http, 14, "incompatible", says="no Wherry")

    def test_a_web_server_with_tls(self):
        self.meets(strangers.tls(), 14, "incompatible", says="no Wherry")

    def test_an_old_web_server_with_tls(self):
        import ssl
        self.meets(strangers.tls((ssl.TLSVersion.TLSv1_2,) * 2), 14, "incompatible", says="no Wherry")

    def test_one_that_hangs_up_at_once(self):
        self.meets(strangers.closes_at_once, 15, "interrupted")

    def test_one_that_says_nothing(self):
        self.meets(strangers.says_nothing, 15, "interrupted")

    def test_a_port_that_is_taken(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            old = self.filled()
            result = old.run("send", "--listen", "127.0.0.1:%d" % server.getsockname()[1], "--yes")
            self.assertFails(result, 1, "failed", says="--listen")
            self.assertSound(old, open_transfers=0)

    def test_an_address_that_is_not_ours(self):
        result = self.filled().run("send", "--listen", "192.0.2.1:0", "--yes")
        self.assertFails(result, 1, "failed", says="--listen")

    def test_a_forwarder_is_only_a_longer_cable(self):
        old, new = self.filled(), self.home("new")
        with old.send() as sender, strangers.Stranger(strangers.relay(sender.address)) as between:
            result = new.run("receive", sender.code, "--at", between.address, "--yes")
            self.assertEqual(result.exit, 0, result)
            self.assertEqual(sender.end().exit, 0)
        self.assertEqual(self.titles(new), ["One", "Two"])


class Visitors(Case):
    """Strangers who come to a listener that shows a code."""

    def survives(self, visit):
        old, new = self.filled(), self.home("new")
        with old.send() as sender:
            visit(sender)
            result = new.run("receive", sender.code, "--at", sender.address, "--yes")
            self.assertEqual(result.exit, 0, result)
            self.assertEqual(sender.end().exit, 0)
        self.assertEqual(self.titles(new), ["One", "Two"])
        self.assertSound(old, open_transfers=0)

    def test_rubbish_of_every_kind_is_hung_up_on(self):
        def visit(sender):
            for seed in (
                    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", os.urandom(65536), b"\x00" * 70000, b"\xff" * 10,
                    b"\x16\x03\x01\xff\xff" + os.urandom(4000), b"\x16\x03\x01\x00\x05\x01\x00\xff\xff\xff"):
                with strangers.connect(sender.address) as visitor:
                    try:
                        visitor.sendall(seed)
                    except OSError:
                        pass
                    self.assertTrue(strangers.until_closed(visitor, 15))
        self.survives(visit)

    def test_one_that_sends_a_byte_a_second_is_hung_up_on(self):
        def visit(sender):
            with strangers.connect(sender.address) as visitor:
                began = time.monotonic()
                closed = False
                for byte in b"\x16\x03\x01\x02\x00" + bytes(100):
                    try:
                        visitor.sendall(bytes([byte]))
                        visitor.settimeout(1)
                        if not visitor.recv(100):
                            closed = True
                    except TimeoutError:
                        pass
                    except OSError:
                        closed = True
                    if closed:
                        break
                self.assertTrue(closed)
                self.assertLess(time.monotonic() - began, 20)
        self.survives(visit)

    def test_ten_thousand_connections_do_not_hinder_a_pairing(self):
        old, new = self.filled(), self.home("new")
        with old.send() as sender:
            status = pathlib.Path(f"/proc/{sender.process.pid}/status")
            stop = threading.Event()
            made, peak = [0], [0]

            def watch():
                while not stop.is_set():
                    try:
                        lines = status.read_text().splitlines()
                    except OSError:
                        return
                    peak[0] = max([peak[0]] + [int(line.split()[1]) for line in lines if line.startswith("VmHWM")])
                    time.sleep(0.05)

            def flood(source):
                while made[0] < 10_000 and not stop.is_set():
                    try:
                        with strangers.connect(sender.address, source) as visitor:
                            visitor.sendall(os.urandom(64))
                            made[0] += 1
                    except OSError:
                        pass

            threads = [threading.Thread(target=flood, args=(f"127.0.1.{n}",), daemon=True) for n in range(1, 9)]
            threads.append(threading.Thread(target=watch, daemon=True))
            for thread in threads:
                thread.start()
            # From an address of its own, while they come and go.
            time.sleep(0.2)
            result = new.run("receive", sender.code, "--at", sender.address, "--yes", seconds=120)
            stop.set()
            self.assertEqual(result.exit, 0, result)
            self.assertGreater(peak[0], 0)
            self.assertLess(peak[0], 200_000)
            self.assertEqual(sender.end().exit, 0)
            self.assertGreater(made[0], 100)
        self.assertEqual(self.titles(new), ["One", "Two"])
