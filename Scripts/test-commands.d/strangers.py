"""Other services on a port of loopback, and hostile visitors."""

import os
import socket
import ssl
import subprocess
import tempfile
import threading
import time


class Stranger:
    """Some service that is no Wherry; `serve` gets each connection."""

    def __init__(self, serve):
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = "127.0.0.1:%d" % self.server.getsockname()[1]
        self.serve = serve
        self.visits = 0
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                visitor, _ = self.server.accept()
            except OSError:
                return
            self.visits += 1
            threading.Thread(target=self.guarded, args=(visitor,), daemon=True).start()

    def guarded(self, visitor):
        try:
            with visitor:
                self.serve(visitor)
        except OSError:
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.server.close()


def banner(visitor):
    visitor.sendall(b"SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n")
    visitor.recv(4096)


def http(visitor):
    visitor.recv(4096)
    visitor.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")


def closes_at_once(visitor):
    pass


def says_nothing(visitor):
    while visitor.recv(4096):
        pass


def tls(versions=(ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3)):
    """An HTTPS server, with a certificate of its own and no ALPN."""
    folder = tempfile.mkdtemp(prefix="wherry-commands-")
    key, certificate = folder + "/key.pem", folder + "/cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-keyout", key, "-out", certificate,
         "-subj", "/CN=web.test", "-days", "30"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.minimum_version, context.maximum_version = versions
    os.unlink(key)
    os.unlink(certificate)
    os.rmdir(folder)

    def serve(visitor):
        with context.wrap_socket(visitor, server_side=True) as stream:
            stream.recv(4096)
            stream.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    return serve


def relay(address):
    """Hands every byte on, in both directions: no man in the middle, only a longer cable."""
    host, port = address.rsplit(":", 1)

    def serve(visitor):
        with socket.create_connection((host, int(port))) as onward:
            def copy(source, target):
                try:
                    while data := source.recv(65536):
                        target.sendall(data)
                    target.shutdown(socket.SHUT_WR)
                except OSError:
                    pass
            back = threading.Thread(target=copy, args=(onward, visitor), daemon=True)
            back.start()
            copy(visitor, onward)
            back.join(10)

    return serve


def connect(address, source=None):
    host, port = address.rsplit(":", 1)
    return socket.create_connection((host, int(port)), timeout=10, source_address=(source, 0) if source else None)


def until_closed(visitor, seconds=20):
    """Whether the other side closes within so long."""
    visitor.settimeout(seconds)
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            if not visitor.recv(65536):
                return True
    except ConnectionError:
        return True
    except TimeoutError:
        pass
    return False
