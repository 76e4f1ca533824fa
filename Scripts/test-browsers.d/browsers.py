"""Drives a real headless Firefox (Marionette) or Chromium (DevTools over a pipe) with nothing but the standard library.

A browser is started in its own process group, only on a folder that the caller names, and is asked to quit; only its
own group is ever signalled.
"""
import contextlib
import ctypes
import fcntl
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time

FIREFOX_BINARY = os.environ.get("FIREFOX_BINARY", "firefox-esr")
# Debian's /usr/bin/chromium is a shell launcher which adds flags of its own; take the program itself
CHROMIUM_BINARY = os.environ.get("CHROMIUM_BINARY") or (
    "/usr/lib/chromium/chromium" if os.path.exists("/usr/lib/chromium/chromium") else "chromium")


class BrowserError(Exception):
    pass


# --------------------------------------------------------------------------- process handling
def _die_with_parent():
    """In the child before exec: have the kernel end the browser if this script dies."""
    with contextlib.suppress(Exception):
        ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def _stop_group(proc, grace=10.0):
    """Stop one process that we started in its own session, and its children."""
    if proc is None:
        return None
    try:
        return proc.wait(timeout=0.01)
    except subprocess.TimeoutExpired:
        pass
    for sig, wait in ((signal.SIGTERM, grace), (signal.SIGKILL, 5.0)):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(proc.pid, sig)  # pgid == pid: start_new_session=True
        try:
            return proc.wait(timeout=wait)
        except subprocess.TimeoutExpired:
            continue
    return None


def _reap_group(proc):
    """After the leader has gone: end stragglers of its own group (helpers, crashpad)."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(proc.pid, signal.SIGTERM)


def copy_profile(src, prefix):
    """A scratch copy of a profile, without caches and locks.  Caller removes it."""
    dst = tempfile.mkdtemp(prefix=prefix)
    skip = {"lock", ".parentlock", "SingletonLock", "SingletonSocket", "SingletonCookie",
            "cache2", "startupCache", "Cache", "Code Cache", "GPUCache", "DevToolsActivePort",
            "MarionetteActivePort", "Crash Reports", "crashes", "minidumps"}

    def ignore(_dir, names):
        return [n for n in names if n in skip]

    shutil.copytree(src, dst, dirs_exist_ok=True, ignore=ignore, symlinks=True)
    return dst


# ----------------------------------------------------------------------------------- Firefox
FIREFOX_QUIET_PREFS = {
    # driving
    "marionette.port": 0,
    # no traffic, no first-run pages, no background jobs which would change the stores
    "app.normandy.enabled": False,
    "app.update.enabled": False,
    "app.update.auto": False,
    "browser.aboutwelcome.enabled": False,
    "browser.bookmarks.addedImportButton": False,
    "browser.cache.disk.enable": False,
    "browser.contentblocking.introCount": 99,
    "browser.discovery.enabled": False,
    "browser.download.useDownloadDir": True,
    "browser.ml.enable": False,
    "browser.newtabpage.activity-stream.feeds.section.topstories": False,
    "browser.newtabpage.activity-stream.feeds.system.topstories": False,
    "browser.newtabpage.activity-stream.feeds.topsites": False,
    "browser.newtabpage.activity-stream.showSponsored": False,
    "browser.newtabpage.activity-stream.showSponsoredTopSites": False,
    "browser.newtabpage.enabled": False,
    "browser.pagethumbnails.capturing_disabled": True,
    "browser.places.importBookmarksHTML": False,
    "browser.region.network.url": "",
    "browser.region.update.enabled": False,
    "browser.safebrowsing.downloads.enabled": False,
    "browser.safebrowsing.malware.enabled": False,
    "browser.safebrowsing.phishing.enabled": False,
    "browser.search.suggest.enabled": False,
    "browser.search.update": False,
    "browser.sessionstore.resume_from_crash": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage": "about:blank",
    "browser.startup.homepage_override.mstone": "ignore",
    "browser.startup.page": 0,
    "browser.tabs.warnOnClose": False,
    "browser.topsites.contile.enabled": False,
    "browser.uitour.enabled": False,
    "browser.urlbar.quicksuggest.enabled": False,
    "browser.urlbar.suggest.searches": False,
    "browser.warnOnQuit": False,
    "captivedetect.canonicalURL": "",
    "datareporting.healthreport.uploadEnabled": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "dom.push.connection.enabled": False,
    "dom.security.https_first": False,
    "extensions.blocklist.enabled": False,
    "extensions.getAddons.cache.enabled": False,
    "extensions.systemAddon.update.enabled": False,
    "extensions.update.enabled": False,
    "geo.provider.network.url": "",
    "media.gmp-manager.updateEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.dns.disablePrefetch": True,
    "network.http.speculative-parallel-limit": 0,
    "network.manage-offline-status": False,
    "network.predictor.enabled": False,
    "network.prefetch-next": False,
    "network.trr.mode": 5,
    "places.semanticHistory.featureGate": False,
    "services.settings.server": "data:,#remote-settings-dummy/v1",
    "security.OCSP.enabled": 0,
    "toolkit.cosmeticAnimations.enabled": False,
    "toolkit.telemetry.enabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
    "toolkit.telemetry.server": "",
    "toolkit.telemetry.unified": False,
    "trailhead.firstrun.didSeeAboutWelcome": True,
}


class Marionette:
    """Marionette wire protocol v3: '<length>:[0,id,command,params]' over loopback TCP."""

    def __init__(self, port, timeout=180.0):
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.buf = b""
        self.next_id = 0
        self.hello = self._recv()
        if self.hello.get("marionetteProtocol") != 3:
            raise BrowserError("unexpected Marionette hello: %r" % (self.hello,))

    def _recv(self):
        while b":" not in self.buf:
            self._fill()
        head, _, rest = self.buf.partition(b":")
        need = int(head)
        self.buf = rest
        while len(self.buf) < need:
            self._fill()
        body, self.buf = self.buf[:need], self.buf[need:]
        return json.loads(body)

    def _fill(self):
        data = self.sock.recv(1 << 20)
        if not data:
            raise BrowserError("Marionette closed the connection")
        self.buf += data

    def cmd(self, name, params=None, timeout=120.0):
        self.sock.settimeout(timeout)
        self.next_id += 1
        msg = json.dumps([0, self.next_id, name, params or {}]).encode()
        self.sock.sendall(b"%d:%s" % (len(msg), msg))
        while True:
            kind, mid, err, res = self._recv()
            if kind == 1 and mid == self.next_id:
                break
        if err:
            raise BrowserError("%s: %s: %s\n%s" % (name, err.get("error"), err.get("message"),
                                                   (err.get("stacktrace") or "")[:1500]))
        return res

    def close(self):
        with contextlib.suppress(OSError):
            self.sock.close()


class Firefox:
    """with Firefox(profile_dir) as ff: ff.chrome('return 1+1')"""

    def __init__(self, profile, prefs=None, binary=None, start_timeout=180.0, env=None,
                 log=None, args=(), libsecret=False):
        """libsecret=False: Firefox is kept from loading libsecret, so that its key for payment cards is
        always the one in key4.db.  (Where libsecret-1.so.0 is installed Firefox asks the desktop's
        keyring instead, and cards saved without it can not be read, and the other way round.)"""
        self.libsecret = libsecret
        self.profile = os.path.abspath(profile)
        self.prefs = dict(FIREFOX_QUIET_PREFS)
        self.prefs.update(prefs or {})
        self.binary = binary or FIREFOX_BINARY
        self.start_timeout = start_timeout
        self.env = dict(os.environ)
        self.env.update({"MOZ_HEADLESS": "1", "MOZ_DISABLE_CONTENT_SANDBOX": "1",
                         "MOZ_CRASHREPORTER_DISABLE": "1", "MOZ_REMOTE_SETTINGS_DEVTOOLS": "1"})
        self.env.update(env or {})
        self.log = log
        self.args = list(args)
        self.proc = None
        self.m = None
        self.user_js_backup = None
        self.shim = None
        self.tmp = None

    # user.js is put in place for the run and taken away again afterwards
    def _write_user_js(self):
        path = os.path.join(self.profile, "user.js")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                self.user_js_backup = f.read()
        with open(path, "w", encoding="utf-8") as f:
            for k, v in self.prefs.items():
                f.write("user_pref(%s, %s);\n" % (json.dumps(k), json.dumps(v)))

    def _restore_user_js(self):
        path = os.path.join(self.profile, "user.js")
        if self.user_js_backup is not None:
            with open(path, "w", encoding="utf-8") as f:
                f.write(self.user_js_backup)
        else:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def start(self):
        os.makedirs(self.profile, exist_ok=True)
        portfile = os.path.join(self.profile, "MarionetteActivePort")
        with contextlib.suppress(FileNotFoundError):
            os.unlink(portfile)
        self._write_user_js()
        self.tmp = tempfile.mkdtemp(prefix="fftmp.")
        self.env["TMPDIR"] = self.tmp
        if not self.libsecret:
            self.shim = tempfile.mkdtemp(prefix="nolibsecret.")
            with open(os.path.join(self.shim, "libsecret-1.so.0"), "w") as f:
                f.write("not a library, on purpose\n" * 40)
            self.env["LD_LIBRARY_PATH"] = self.shim + (":" + self.env["LD_LIBRARY_PATH"] if self.env.get("LD_LIBRARY_PATH") else "")
        out = open(self.log, "ab") if self.log else subprocess.DEVNULL
        self.proc = subprocess.Popen(
            [self.binary, "--headless", "--no-remote", "--marionette",
             "--remote-allow-system-access", "--profile", self.profile] + self.args,
            stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=self.env,
            preexec_fn=_die_with_parent, start_new_session=True)
        if out is not subprocess.DEVNULL:
            out.close()
        deadline = time.monotonic() + self.start_timeout
        port = None
        while time.monotonic() < deadline:
            if self.proc.poll() is not None:
                raise BrowserError("Firefox exited at start with status %s" % self.proc.returncode)
            try:
                with open(portfile) as f:
                    text = f.read().strip()
                if text:
                    port = int(text)
                    break
            except (FileNotFoundError, ValueError):
                pass
            time.sleep(0.05)
        if port is None:
            self.stop()
            raise BrowserError("Firefox opened no Marionette port in %ss" % self.start_timeout)
        while True:
            try:
                self.m = Marionette(port)
                break
            except OSError:
                if time.monotonic() > deadline:
                    self.stop()
                    raise
                time.sleep(0.1)
        self.session = self.m.cmd("WebDriver:NewSession", {"acceptInsecureCerts": True})
        self.m.cmd("WebDriver:SetTimeouts", {"script": 600000, "pageLoad": 60000})
        return self

    @property
    def version(self):
        return self.session["capabilities"]["browserVersion"]

    def context(self, which):
        self.m.cmd("Marionette:SetContext", {"value": which})

    def chrome(self, body, *args, timeout=600.0):
        """Run an async function body in the browser's privileged scope; returns its value.
        `arguments` in the body are the given args.  PlacesUtils is in scope."""
        self.context("chrome")
        script = """
          const done = arguments[arguments.length - 1];
          const args = Array.prototype.slice.call(arguments, 0, -1);
          const { PlacesUtils } = ChromeUtils.importESModule(
            "resource://gre/modules/PlacesUtils.sys.mjs");
          (async function () { %s }).apply(null, args).then(
            v => done({ ok: v === undefined ? null : v }),
            e => done({ err: String(e) + "\\n" + ((e && e.stack) || "") }));
        """ % body
        r = self.m.cmd("WebDriver:ExecuteAsyncScript",
                       {"script": script, "args": list(args), "newSandbox": True,
                        "scriptTimeout": int(timeout * 1000)}, timeout=timeout + 10)
        v = r["value"] if isinstance(r, dict) and "value" in r else r
        if not isinstance(v, dict):
            raise BrowserError("the script was interrupted (a dialog, such as the primary password's?)")
        if "err" in v:
            raise BrowserError(v["err"])
        return v["ok"]

    def content(self, body, *args):
        self.context("content")
        r = self.m.cmd("WebDriver:ExecuteScript", {"script": body, "args": list(args)})
        return r["value"]

    def navigate(self, url, tolerate=False):
        self.context("content")
        try:
            self.m.cmd("WebDriver:Navigate", {"url": url})
        except BrowserError:
            if not tolerate:
                raise

    def current_url(self):
        self.context("content")
        return self.m.cmd("WebDriver:GetCurrentURL")["value"]

    def click(self, css):
        self.context("content")
        el = self.m.cmd("WebDriver:FindElement", {"using": "css selector", "value": css})["value"]
        self.m.cmd("WebDriver:ElementClick", {"id": list(el.values())[0]})

    def stop(self):
        if self.proc is None:
            return
        try:
            if self.m is not None and self.proc.poll() is None:
                with contextlib.suppress(Exception):
                    self.m.cmd("Marionette:Quit", {"flags": ["eForceQuit"]}, timeout=30)
                self.m.close()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.proc.wait(timeout=60)
            self.exit_status = _stop_group(self.proc)
            _reap_group(self.proc)
        finally:
            self._restore_user_js()
            for d in (self.shim, self.tmp):
                if d:
                    shutil.rmtree(d, ignore_errors=True)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(self.profile, "MarionetteActivePort"))
            self.proc = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *exc):
        self.stop()


# ---------------------------------------------------------------------------------- Chromium
CHROMIUM_FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
    "--no-first-run", "--no-default-browser-check", "--disable-background-networking",
    "--disable-component-update", "--disable-domain-reliability", "--disable-sync",
    "--disable-client-side-phishing-detection", "--disable-breakpad", "--disable-crash-reporter",
    "--disable-search-engine-choice-screen", "--metrics-recording-only", "--no-pings",
    "--no-service-autorun", "--password-store=basic", "--enable-unsafe-extension-debugging",
    "--disable-features=Translate,OptimizationHints,MediaRouter,DialMediaRouteProvider,"
    "CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions",
]


class CDP:
    """DevTools protocol over --remote-debugging-pipe (fd 3 in, fd 4 out, NUL-terminated JSON)."""

    def __init__(self, rfd, wfd):
        self.rfd, self.wfd = rfd, wfd
        self.buf = b""
        self.next_id = 0
        self.events = []

    def _recv(self, timeout):
        deadline = time.monotonic() + timeout
        while b"\0" not in self.buf:
            left = deadline - time.monotonic()
            if left <= 0:
                raise BrowserError("DevTools: no answer in time")
            r, _, _ = select.select([self.rfd], [], [], left)
            if not r:
                continue
            data = os.read(self.rfd, 1 << 20)
            if not data:
                raise BrowserError("DevTools pipe closed by the browser")
            self.buf += data
        msg, _, self.buf = self.buf.partition(b"\0")
        return json.loads(msg)

    def cmd(self, method, params=None, session=None, timeout=60.0):
        self.next_id += 1
        mid = self.next_id
        msg = {"id": mid, "method": method, "params": params or {}}
        if session:
            msg["sessionId"] = session
        data = json.dumps(msg).encode() + b"\0"
        while data:
            n = os.write(self.wfd, data)
            data = data[n:]
        deadline = time.monotonic() + timeout
        while True:
            m = self._recv(max(0.01, deadline - time.monotonic()))
            if m.get("id") == mid:
                if "error" in m:
                    raise BrowserError("%s: %s" % (method, json.dumps(m["error"])))
                return m.get("result", {})
            if "method" in m:
                self.events.append(m)

    def wait_event(self, method, session=None, timeout=30.0, pred=None):
        deadline = time.monotonic() + timeout
        while True:
            for i, e in enumerate(self.events):
                if e["method"] == method and (session is None or e.get("sessionId") == session) \
                        and (pred is None or pred(e.get("params", {}))):
                    return self.events.pop(i)
            m = self._recv(max(0.01, deadline - time.monotonic()))
            if "method" in m:
                self.events.append(m)


class Chromium:
    """with Chromium(user_data_dir) as cr: page = cr.page('chrome://version')"""

    def __init__(self, user_data_dir, binary=None, args=(), start_timeout=180.0, env=None,
                 log=None, password_store="basic", profile_directory=None):
        self.dir = os.path.abspath(user_data_dir)
        self.binary = binary or CHROMIUM_BINARY
        self.args = list(args)
        self.start_timeout = start_timeout
        self.env = dict(os.environ)
        self.env.update(env or {})
        self.log = log
        self.password_store = password_store
        self.profile_directory = profile_directory
        self.proc = None
        self.cdp = None

    def start(self):
        os.makedirs(self.dir, exist_ok=True)
        self.tmp = tempfile.mkdtemp(prefix="crtmp.")  # its sockets and scratch files go here, and away
        self.env["TMPDIR"] = self.tmp
        r1, w1 = os.pipe()  # us -> browser (its fd 3)
        r2, w2 = os.pipe()  # browser (its fd 4) -> us
        up = lambda fd: fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 20)
        cr1, cw2 = up(r1), up(w2)
        os.close(r1)
        os.close(w2)

        def setup():
            os.dup2(cr1, 3)
            os.dup2(cw2, 4)
            _die_with_parent()

        # the parent's own ends must not sit on 3 or 4 in the child: move them up, close-on-exec
        pw, pr = up(w1), up(r2)
        os.close(w1)
        os.close(r2)
        flags = [f for f in CHROMIUM_FLAGS if not f.startswith("--password-store")]
        flags.append("--password-store=%s" % self.password_store)
        flags.append("--user-data-dir=%s" % self.dir)
        if self.profile_directory:
            flags.append("--profile-directory=%s" % self.profile_directory)
        out = open(self.log, "ab") if self.log else subprocess.DEVNULL
        try:
            self.proc = subprocess.Popen(
                [self.binary] + flags + ["--remote-debugging-pipe"] + self.args + ["about:blank"],
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, close_fds=False,
                preexec_fn=setup, start_new_session=True, env=self.env)
        finally:
            os.close(cr1)
            os.close(cw2)
            if out is not subprocess.DEVNULL:
                out.close()
        self.cdp = CDP(pr, pw)
        try:
            self.version = self.cdp.cmd("Browser.getVersion", timeout=self.start_timeout)["product"]
        except BrowserError:
            rc = self.proc.poll()
            self.stop()
            raise BrowserError("Chromium did not start (status %s)" % rc)
        return self

    # ---- pages
    def page(self, url="about:blank"):
        t = self.cdp.cmd("Target.createTarget", {"url": url})["targetId"]
        return self.attach(t)

    def attach(self, target_id):
        s = self.cdp.cmd("Target.attachToTarget", {"targetId": target_id, "flatten": True})
        return CPage(self, target_id, s["sessionId"])

    def targets(self):
        return self.cdp.cmd("Target.getTargets")["targetInfos"]

    def load_extension(self, path):
        return self.cdp.cmd("Extensions.loadUnpacked", {"path": os.path.abspath(path)})["id"]

    def worker(self, ext_id, timeout=30.0):
        """Attach to an extension's service worker."""
        want = "chrome-extension://%s/" % ext_id
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            for t in self.targets():
                if t["type"] == "service_worker" and t["url"].startswith(want):
                    page = self.attach(t["targetId"])
                    page.wait_for("typeof chrome == 'object' && !!chrome.runtime", timeout)
                    return page
            time.sleep(0.1)
        raise BrowserError("no service worker for extension %s" % ext_id)

    def stop(self):
        if self.proc is None:
            return
        if self.cdp is not None and self.proc.poll() is None:
            with contextlib.suppress(Exception):
                self.cdp.cmd("Browser.close", timeout=20)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.proc.wait(timeout=60)
        self.exit_status = _stop_group(self.proc)
        _reap_group(self.proc)
        for fd in (self.cdp.rfd, self.cdp.wfd):
            with contextlib.suppress(OSError):
                os.close(fd)
        shutil.rmtree(self.tmp, ignore_errors=True)
        self.proc = None

    def __enter__(self):
        return self.start()

    def __exit__(self, *exc):
        self.stop()


class CPage:
    def __init__(self, browser, target_id, session):
        self.b, self.target_id, self.session = browser, target_id, session

    def cmd(self, method, params=None, timeout=60.0):
        return self.b.cdp.cmd(method, params, session=self.session, timeout=timeout)

    def eval(self, expression, timeout=120.0, user_gesture=True):
        r = self.cmd("Runtime.evaluate", {"expression": expression, "awaitPromise": True,
                                          "returnByValue": True, "userGesture": user_gesture},
                     timeout=timeout)
        if "exceptionDetails" in r:
            d = r["exceptionDetails"]
            raise BrowserError(d.get("exception", {}).get("description") or d.get("text"))
        return r["result"].get("value")

    def wait_for(self, expression, timeout=20.0):
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            with contextlib.suppress(BrowserError):
                if self.eval(expression):
                    return True
            time.sleep(0.1)
        raise BrowserError("timed out waiting for: %s" % expression)

    def navigate(self, url, transition=None, referrer=None, settle=0.3, timeout=30.0):
        self.cmd("Page.enable")
        self.b.cdp.events = [e for e in self.b.cdp.events
                             if e.get("sessionId") != self.session]
        p = {"url": url}
        if transition:
            p["transitionType"] = transition
        if referrer:
            p["referrer"] = referrer
        r = self.cmd("Page.navigate", p, timeout=timeout)
        if not r.get("errorText") and r.get("loaderId"):
            with contextlib.suppress(BrowserError):
                self.b.cdp.wait_event("Page.loadEventFired", self.session, timeout=timeout)
        time.sleep(settle)
        return r

    def close(self):
        with contextlib.suppress(BrowserError):
            self.b.cdp.cmd("Target.closeTarget", {"targetId": self.target_id})
