"""What a real Chromium says that a profile holds. Times are microseconds since 1970."""
import json
import os
import shutil
import sqlite3
import tempfile
import time

from browsers import BrowserError, Chromium, copy_profile

EPOCH_DELTA = 11644473600 * 1000000
CORE = {0: "link", 1: "typed", 2: "auto_bookmark", 3: "auto_subframe", 4: "manual_subframe", 5: "generated",
        6: "auto_toplevel", 7: "form_submit", 8: "reload", 9: "keyword", 10: "keyword_generated"}
QUALIFIERS = {0x00800000: "blocked", 0x01000000: "forward_back", 0x02000000: "from_address_bar",
              0x04000000: "home_page", 0x08000000: "from_api", 0x10000000: "chain_start", 0x20000000: "chain_end",
              0x40000000: "client_redirect", 0x80000000: "server_redirect"}
HELPER_NAME = "what it holds"


def helper_extension():
    d = tempfile.mkdtemp(prefix="crq.ext.")
    with open(os.path.join(d, "manifest.json"), "w") as f:
        json.dump({"manifest_version": 3, "name": HELPER_NAME, "version": "1",
                   "permissions": ["bookmarks", "history", "readingList", "management", "topSites"],
                   "background": {"service_worker": "sw.js"}}, f)
    with open(os.path.join(d, "sw.js"), "w") as f:
        f.write("// held open by the debugger\n")
    return d


def transition(value):
    value &= 0xFFFFFFFF
    return CORE.get(value & 0xFF, str(value & 0xFF)), [n for b, n in QUALIFIERS.items() if value & b]


def bookmarks(w):
    tree = w.eval("chrome.bookmarks.getTree()")
    count = {"bookmarks": 0, "folders": 0}

    def conv(n):
        o = {"kind": "bookmark" if "url" in n else "folder", "title": n.get("title", "")}
        if "url" in n:
            o["url"] = n["url"]
            count["bookmarks"] += 1
        o["date_added_usec"] = n.get("dateAdded", 0) * 1000
        if n.get("dateLastUsed"):
            o["date_last_used_usec"] = n["dateLastUsed"] * 1000
        if o["kind"] == "folder":
            count["folders"] += 1
            o["children"] = [conv(c) for c in n.get("children", [])]
        return o
    roots = {}
    for c in tree[0]["children"]:
        name = {"bookmarks-bar": "toolbar", "other": "other", "mobile": "mobile", "managed": "managed"}.get(c.get("folderType"), c.get("folderType") or c["id"])
        if c.get("syncing"):
            name += "_account"
        roots[name] = [conv(x) for x in c["children"]]
    return {"roots": roots, "counts": count}


def history(w, max_items, want_visits):
    n = max_items or 2000000000
    pages = w.eval("chrome.history.search({text:'',startTime:0,maxResults:%d})" % n, timeout=600)
    out = {"pages": [{"url": p["url"], "title": p.get("title", ""), "visit_count": p["visitCount"], "typed_count": p["typedCount"],
                      "last_visit_usec": round(p["lastVisitTime"] * 1000)} for p in pages]}
    out["counts"] = {"pages": len(pages)}
    if want_visits:
        visits = w.eval("""(async () => { const out = []; for (const u of %s) for (const v of await chrome.history.getVisits({url: u}))
            out.push([u, v.visitTime, v.transition, v.referringVisitId, v.visitId]); return out; })()"""
                        % json.dumps([p["url"] for p in pages]), timeout=3600)
        out["visits"] = [{"url": v[0], "time_usec": round(v[1] * 1000), "transition": v[2], "referring_visit_id": v[3], "visit_id": v[4]} for v in visits]
        out["counts"]["visits"] = len(visits)
    return out


def history_page(cr):
    p = cr.page("chrome://history")
    js = """(() => { const out = []; const walk = r => { for (const e of r.querySelectorAll('*')) {
        if (e.tagName == 'HISTORY-ITEM') { const a = e.shadowRoot.querySelector('a'); if (a) out.push([a.href, a.textContent.trim()]); }
        if (e.shadowRoot) walk(e.shadowRoot); } }; walk(document); return out; })()"""
    last, same = None, 0
    for _ in range(60):
        time.sleep(0.25)
        now = p.eval(js)
        same = same + 1 if now and now == last else 0
        last = now
        if same >= 3:
            break
    p.close()
    return [{"url": u, "title": t} for u, t in (last or [])]


def logins(cr):
    p = cr.page("chrome://password-manager/passwords")
    p.wait_for("!!(window.chrome && chrome.passwordsPrivate)")
    lst = p.eval("chrome.passwordsPrivate.getSavedPasswordList()")
    full = p.eval("chrome.passwordsPrivate.requestCredentialsDetails(%s)" % json.dumps([x["id"] for x in lst])) if lst else []
    exceptions = p.eval("chrome.passwordsPrivate.getPasswordExceptionList()")
    p.close()
    out = []
    for l in full:
        out.append({"sites": [d.get("url") for d in l.get("affiliatedDomains", [])],
                    "realms": [d.get("signonRealm") for d in l.get("affiliatedDomains", [])],
                    "username": l["username"], "password": l.get("password"), "note": l.get("note", ""),
                    "stored_in": l.get("storedIn"), "created_usec": round(l["creationTime"] * 1000) if l.get("creationTime") else None,
                    "federation": l.get("federationText"), "passkey": l.get("isPasskey", False)})
    out.sort(key=lambda x: (x["realms"], x["username"]))
    return {"logins": out, "never_saved": [e["urls"]["link"] if "urls" in e else e for e in exceptions]}


def payment(cr):
    p = cr.page("chrome://settings/payments")
    p.wait_for("!!(window.chrome && chrome.autofillPrivate)")
    cards = []
    for c in p.eval("chrome.autofillPrivate.getCreditCardList()"):
        full = p.eval("chrome.autofillPrivate.getLocalCard(%s)" % json.dumps(c["guid"])) or c
        cards.append({"guid": c["guid"], "name": full.get("name"), "number": full.get("cardNumber"), "exp_month": full.get("expirationMonth"),
                      "exp_year": full.get("expirationYear"), "nickname": full.get("nickname"), "network": c.get("network")})
    addresses = []
    for a in p.eval("chrome.autofillPrivate.getAddressList()"):
        addresses.append({"guid": a.get("guid"), "fields": {f["type"]: f["value"] for f in a.get("fields", []) if f.get("value")}})
    p.close()
    return {"cards": cards, "addresses": addresses}


def reading_list(w):
    return [{"title": e["title"], "url": e["url"], "read": e["hasBeenRead"], "created_usec": round(e["creationTime"] * 1000),
             "updated_usec": round(e["lastUpdateTime"] * 1000)} for e in w.eval("chrome.readingList.query({})")]


def store(profile):
    """The History database as Chromium left it."""
    con = sqlite3.connect("file:%s?mode=ro" % os.path.join(profile, "History").replace("?", "%3f"), uri=True)
    con.text_factory = lambda b: b.decode("utf-8", "replace")
    try:
        r = {"meta": dict(con.execute("SELECT key, value FROM meta")),
             "integrity": con.execute("PRAGMA quick_check").fetchone()[0]}
        by_id = {i: (u, t) for i, u, t in con.execute("SELECT v.id, u.url, v.visit_time FROM visits v JOIN urls u ON u.id = v.url")}
        visits = []
        for url, t, frm, tr, dur, src, ext in con.execute(
                "SELECT u.url, v.visit_time, v.from_visit, v.transition, v.visit_duration, s.source, v.external_referrer_url FROM visits v JOIN urls u ON u.id = v.url "
                "LEFT JOIN visit_source s ON s.id = v.id ORDER BY v.visit_time, v.id"):
            core, quals = transition(tr)
            visits.append({"url": url, "time_usec": t - EPOCH_DELTA, "transition": core, "qualifiers": quals, "duration_usec": dur,
                           "from": {"url": by_id[frm][0], "time_usec": by_id[frm][1] - EPOCH_DELTA} if frm in by_id else None,
                           "external_referrer": ext or None, "source": src})
        r["visits"] = visits
        r["pages"] = [{"url": u, "title": t, "visit_count": vc, "typed_count": tc, "last_visit_usec": lv - EPOCH_DELTA if lv else None, "hidden": bool(h)}
                      for u, t, vc, tc, lv, h in con.execute("SELECT url, title, visit_count, typed_count, last_visit_time, hidden FROM urls ORDER BY id")]
        r["search_terms"] = [{"url": u, "term": t} for u, t in con.execute("SELECT u.url, k.term FROM keyword_search_terms k JOIN urls u ON u.id = k.url_id")]
        r["counts"] = {"pages": len(r["pages"]), "visits": len(visits)}
        one = lambda q: con.execute(q).fetchone()[0]
        r["check"] = {
            "orphan_visits": one("SELECT count(*) FROM visits v WHERE NOT EXISTS (SELECT 1 FROM urls u WHERE u.id = v.url)"),
            "pages_without_visits": one("SELECT count(*) FROM urls u WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.url = u.id)"),
            "dangling_from_visit": one("SELECT count(*) FROM visits v WHERE from_visit > 0 AND NOT EXISTS (SELECT 1 FROM visits f WHERE f.id = v.from_visit)"),
            "last_visit_time_wrong": one("SELECT count(*) FROM urls u WHERE last_visit_time <> IFNULL((SELECT max(visit_time) FROM visits v WHERE v.url = u.id), last_visit_time)"),
            "duplicate_urls": one("SELECT count(*) FROM (SELECT 1 FROM urls GROUP BY url HAVING count(*) > 1)"),
        }
        return r
    finally:
        con.close()


def query(cr, what, page=False):
    r = {"browser": {"name": "chromium", "version": cr.version}, "errors": {}, "seconds": {}}

    def part(name, fn):
        t = time.monotonic()
        try:
            r[name] = fn()
        except (BrowserError, KeyError, TypeError) as e:
            r["errors"][name] = "%s: %s" % (type(e).__name__, e)
        r["seconds"][name] = round(time.monotonic() - t, 3)
    if page:  # before the helper extension is in
        part("history_page", lambda: history_page(cr))
    if "logins" in what:
        part("logins", lambda: logins(cr))
    if "cards" in what:
        part("payment", lambda: payment(cr))
    if {"bookmarks", "history", "reading_list"} & set(what):
        ext = helper_extension()
        try:
            w = cr.worker(cr.load_extension(ext))
            if "bookmarks" in what:
                part("bookmarks", lambda: bookmarks(w))
            if "history" in what:
                part("history", lambda: history(w, 0, False))
            if "reading_list" in what:
                part("reading_list", lambda: reading_list(w))
        except BrowserError as e:
            r["errors"]["helper"] = str(e)
        finally:
            shutil.rmtree(ext, ignore_errors=True)
    return r


ALL = ["bookmarks", "history", "logins", "cards", "reading_list"]


def view(user_data, what=ALL, page=False, profile_directory="Default"):
    """Starts Chromium on a copy, so that the profile itself stays as it is."""
    copy = copy_profile(user_data, "cr.")
    try:
        with Chromium(copy, profile_directory=profile_directory) as cr:
            found = query(cr, what, page)
        found["store"] = store(os.path.join(copy, profile_directory))
        return found
    finally:
        shutil.rmtree(copy, ignore_errors=True)
