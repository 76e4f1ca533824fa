"""What a real Firefox says that a profile holds. Times are microseconds since 1970."""
import json
import os
import shutil
import tempfile
import time

from browsers import BrowserError, Firefox, copy_profile

TRANSITIONS = {1: "link", 2: "typed", 3: "bookmark", 4: "embed", 5: "redirect_permanent",
               6: "redirect_temporary", 7: "download", 8: "framed_link", 9: "reload"}

BOOKMARKS_JS = r"""
  const root = await PlacesUtils.promiseBookmarksTree("root________", {includeItemIds: false});
  const count = {bookmarks: 0, folders: 0, separators: 0};
  function conv(n) {
    const o = {};
    if (n.typeCode == 2) o.kind = "folder";
    else if (n.typeCode == 3) o.kind = "separator";
    else o.kind = "bookmark";
    o.guid = n.guid;
    if (o.kind != "separator") o.title = n.title === undefined ? "" : n.title;
    if (o.kind == "bookmark") o.url = n.uri;
    if (n.tags) o.tags = n.tags.split(",").map(t => t.trim()).filter(t => t).sort();
    if (n.keyword) { o.keyword = n.keyword; o.post_data = n.postData || null; }
    o.date_added_usec = n.dateAdded;
    o.last_modified_usec = n.lastModified;
    if (o.kind == "folder") { o.children = (n.children || []).map(conv); count.folders++; }
    else if (o.kind == "separator") count.separators++;
    else count.bookmarks++;
    return o;
  }
  const out = {};
  for (const r of root.children || []) {
    const name = {menu________: "menu", toolbar_____: "toolbar", unfiled_____: "unfiled",
                  mobile______: "mobile"}[r.guid];
    if (!name) continue;
    out[name] = (r.children || []).map(conv);
  }
  const tags = (await PlacesUtils.bookmarks.fetchTags()).map(t => [t.name, t.count]).sort();
  const value = {roots: out, counts: count, tags};
"""

HISTORY_JS = r"""
  const db = await PlacesUtils.promiseDBConnection();
  const get = (r, n) => n.map(k => r.getResultByName(k));
  // pages, as the Library lists them (hidden ones left out by the query service itself)
  const q = PlacesUtils.history.getNewQuery(), o = PlacesUtils.history.getNewQueryOptions();
  o.sortingMode = Ci.nsINavHistoryQueryOptions.SORT_BY_DATE_DESCENDING;
  o.resultType = Ci.nsINavHistoryQueryOptions.RESULTS_AS_URI;
  o.queryType = Ci.nsINavHistoryQueryOptions.QUERY_TYPE_HISTORY;
  const res = PlacesUtils.history.executeQuery(q, o).root;
  res.containerOpen = true;
  const shown = [];
  for (let i = 0; i < res.childCount; i++) {
    const n = res.getChild(i);
    if (maxItems && i >= maxItems) break;
    shown.push([n.uri, n.title, n.time, n.accessCount]);
  }
  const shownCount = res.childCount;
  res.containerOpen = false;
  const lim = maxItems ? " LIMIT " + maxItems : "";
  const cp = ["url","title","visit_count","hidden","typed","frecency","last_visit_date","foreign_count","guid"];
  const pages = (await db.execute("SELECT " + cp.join(",") +
    " FROM moz_places WHERE last_visit_date NOT NULL ORDER BY id" + lim)).map(r => get(r, cp));
  const cv = ["url","visit_date","visit_type","from_url","from_date","source"];
  const visits = (await db.execute(`SELECT p.url AS url, v.visit_date AS visit_date,
      v.visit_type AS visit_type, fp.url AS from_url, f.visit_date AS from_date, v.source AS source
      FROM moz_historyvisits v JOIN moz_places p ON p.id = v.place_id
      LEFT JOIN moz_historyvisits f ON f.id = v.from_visit
      LEFT JOIN moz_places fp ON fp.id = f.place_id ORDER BY v.visit_date, v.id` + lim)).map(r => get(r, cv));
  const n = (await db.execute("SELECT (SELECT count(*) FROM moz_places WHERE last_visit_date NOT NULL) p, (SELECT count(*) FROM moz_historyvisits) v, (SELECT count(*) FROM moz_places WHERE recalc_frecency = 1) r, (SELECT count(*) FROM moz_origins) o"))[0];
  const value = {pages, visits, shown, shownCount, cp, cv,
    counts: {pages: n.getResultByName("p"), visits: n.getResultByName("v"),
             pages_waiting_for_frecency: n.getResultByName("r"), origins: n.getResultByName("o")}};
"""

LOGINS_JS = r"""
  let hasPrimary, unlock;
  if (Cc["@mozilla.org/security/internalkeytoken;1"]) {   // Firefox 15x
    const token = Cc["@mozilla.org/security/internalkeytoken;1"].createInstance(Ci.nsIPKCS11Token);
    hasPrimary = token.hasPassword;
    // there is no checkPassword() any more; "change" to the same password checks it and logs in
    unlock = p => { token.changePassword(p, p); return token.isLoggedIn; };
  } else {                                                  // older
    const token = Cc["@mozilla.org/security/pk11tokendb;1"].getService(Ci.nsIPK11TokenDB).getInternalKeyToken();
    hasPrimary = token.hasPassword;
    unlock = p => token.checkPassword(p);
  }
  let unlocked = null;
  if (pw !== null) { try { unlocked = unlock(pw); } catch (e) { unlocked = false; } }
  const value = {primary_password_set: hasPrimary, unlocked, logins: [], error: null};
  if (hasPrimary && !unlocked) {
    value.error = "a primary password is set and was not given (or is wrong)";
    try { value.count_without_unlock = Services.logins.countLogins("", "", ""); } catch (e) {}
  } else {
    for (const l of await Services.logins.getAllLogins()) {
      l.QueryInterface(Ci.nsILoginMetaInfo);
      value.logins.push({origin: l.origin, form_action_origin: l.formActionOrigin, http_realm: l.httpRealm,
        username: l.username, password: l.password, username_field: l.usernameField,
        password_field: l.passwordField, guid: l.guid, times_used: l.timesUsed,
        created_usec: l.timeCreated * 1000, last_used_usec: l.timeLastUsed * 1000,
        password_changed_usec: l.timePasswordChanged * 1000});
    }
    value.disabled_hosts = await Services.logins.getAllDisabledHosts();
  }
"""

CARDS_JS = r"""
  const { formAutofillStorage } = ChromeUtils.importESModule("resource://autofill/FormAutofillStorage.sys.mjs");
  const { OSKeyStore } = ChromeUtils.importESModule("resource://gre/modules/OSKeyStore.sys.mjs");
  await formAutofillStorage.initialize();
  const cards = [];
  for (const c of await formAutofillStorage.creditCards.getAll()) {
    const o = {guid: c.guid, name: c["cc-name"] || null, exp_month: c["cc-exp-month"] || null,
      exp_year: c["cc-exp-year"] || null, network: c["cc-type"] || null, masked: c["cc-number"],
      created_usec: c.timeCreated * 1000, last_used_usec: (c.timeLastUsed || 0) * 1000,
      last_modified_usec: c.timeLastModified * 1000, times_used: c.timesUsed};
    try { o.number = c["cc-number-encrypted"] ? await OSKeyStore.decrypt(c["cc-number-encrypted"], "about_preferences_edit") : null; }
    catch (e) { o.number = null; o.error = String(e); }
    cards.push(o);
  }
  const addresses = (await formAutofillStorage.addresses.getAll()).map(a => Object.fromEntries(
    Object.entries(a).filter(([k]) => !k.startsWith("_") && k != "version")));
  const value = {cards, addresses};
"""

EXTENSIONS_JS = r"""
  const { AddonManager } = ChromeUtils.importESModule("resource://gre/modules/AddonManager.sys.mjs");
  const value = (await AddonManager.getAllAddons()).filter(a => a.type == "extension" && !a.isBuiltin && !a.isSystem)
    .map(a => ({id: a.id, name: a.name, version: a.version, creator: a.creator ? a.creator.name : null,
      description: a.description, enabled: a.isActive, user_disabled: a.userDisabled, temporary: a.temporarilyInstalled,
      signed_state: a.signedState, install_date_usec: a.installDate ? a.installDate.getTime() * 1000 : null,
      source_uri: a.sourceURI ? a.sourceURI.spec : null, homepage_url: a.homepageURL, hidden: a.hidden}));
"""

CHECK_JS = r"""
  const { PlacesDBUtils } = ChromeUtils.importESModule("resource://gre/modules/PlacesDBUtils.sys.mjs");
  const db = await PlacesUtils.promiseDBConnection();
  const one = async s => (await db.execute(s))[0].getResultByIndex(0);
  const value = {
    user_version: await one("PRAGMA user_version"),
    integrity: await one("PRAGMA quick_check"),
    foreign_key_violations: (await db.execute("PRAGMA foreign_key_check")).length,
    bad_url_hash: await one("SELECT count(*) FROM moz_places WHERE url_hash <> hash(url)"),
    bad_page_guid: await one("SELECT count(*) FROM moz_places WHERE guid IS NULL OR NOT is_valid_guid(guid)"),
    bad_bookmark_guid: await one("SELECT count(*) FROM moz_bookmarks WHERE guid IS NULL OR NOT is_valid_guid(guid)"),
    bad_rev_host: await one("SELECT count(*) FROM moz_places WHERE get_unreversed_host(rev_host) <> '' AND instr(url, '://') AND instr(get_host_and_port(url), get_unreversed_host(rev_host)) <> 1 AND rev_host <> '.'"),
    bad_foreign_count: await one("SELECT count(*) FROM moz_places p WHERE foreign_count <> (SELECT count(*) FROM moz_bookmarks WHERE fk = p.id) + (SELECT count(*) FROM moz_keywords WHERE place_id = p.id)"),
    bad_visit_count: await one("SELECT count(*) FROM moz_places p WHERE visit_count <> (SELECT count(*) FROM moz_historyvisits v WHERE v.place_id = p.id AND v.visit_type NOT IN (0,4,7,8,9))"),
    bad_last_visit_date: await one("SELECT count(*) FROM moz_places p WHERE IFNULL(last_visit_date, 0) <> IFNULL((SELECT max(visit_date) FROM moz_historyvisits v WHERE v.place_id = p.id), 0)"),
    pages_without_origin: await one("SELECT count(*) FROM moz_places p WHERE origin_id IS NULL OR NOT EXISTS (SELECT 1 FROM moz_origins o WHERE o.id = p.origin_id)"),
    wrong_origin: await one("SELECT count(*) FROM moz_places p JOIN moz_origins o ON o.id = p.origin_id WHERE o.prefix <> get_prefix(p.url) OR o.host <> get_host_and_port(p.url)"),
    orphan_visits: await one("SELECT count(*) FROM moz_historyvisits v WHERE NOT EXISTS (SELECT 1 FROM moz_places p WHERE p.id = v.place_id)"),
    dangling_from_visit: await one("SELECT count(*) FROM moz_historyvisits v WHERE from_visit > 0 AND NOT EXISTS (SELECT 1 FROM moz_historyvisits f WHERE f.id = v.from_visit)"),
    orphan_bookmarks: await one("SELECT count(*) FROM moz_bookmarks b WHERE b.guid <> 'root________' AND NOT EXISTS (SELECT 1 FROM moz_bookmarks p WHERE p.id = b.parent AND p.type = 2)"),
    bookmarks_without_page: await one("SELECT count(*) FROM moz_bookmarks b WHERE b.type = 1 AND NOT EXISTS (SELECT 1 FROM moz_places p WHERE p.id = b.fk)"),
    bad_positions: await one("SELECT count(*) FROM moz_bookmarks b WHERE b.parent > 0 AND position <> (SELECT count(*) FROM moz_bookmarks s WHERE s.parent = b.parent AND (s.position < b.position OR (s.position = b.position AND s.id < b.id)))"),
    duplicate_pages: await one("SELECT count(*) FROM (SELECT 1 FROM moz_places GROUP BY url_hash, url HAVING count(*) > 1)"),
  };
  value.problems = Object.entries(value).filter(([k, v]) => (k.startsWith("bad_") || k.startsWith("orphan") || k.startsWith("dangling") || k.startsWith("wrong") || k.startsWith("pages_without") || k.startsWith("bookmarks_without") || k.startsWith("duplicate") || k.startsWith("foreign_key")) && v > 0).map(([k]) => k);
"""


def _via_file(ff, body, *args):
    """Run body (which sets `value`), have the browser write it to a file, read it here: no limit
    on size."""
    fd, path = tempfile.mkstemp(prefix="ffq.", suffix=".json")
    os.close(fd)
    try:
        ff.chrome(body + "\nawait IOUtils.writeJSON(outPath, value); return true;"
                  .replace("outPath", json.dumps(path)), *args)
        with open(path, encoding="utf-8") as f:
            return json.load(f)
    finally:
        os.unlink(path)


def query(ff, what, check=False, primary_password=None):
    r = {"browser": {"name": "firefox", "version": ff.version}, "errors": {}, "seconds": {}}

    def part(name, fn):
        t = time.monotonic()
        try:
            r[name] = fn()
        except BrowserError as e:
            r["errors"][name] = str(e)
        r["seconds"][name] = round(time.monotonic() - t, 3)

    # did Firefox take the database it found, or put a new one in its place?
    def places():
        v = ff.chrome("return PlacesUtils.history.databaseStatus;")
        name = {0: "ok", 1: "created", 2: "corrupt: replaced by a new one", 3: "upgraded", 4: "locked"}.get(v, str(v))
        replaced = sorted(n for n in os.listdir(ff.profile) if n.startswith(("places.sqlite.corrupt", "favicons.sqlite.corrupt", "logins.json.corrupt")))
        if v in (2, 4) or replaced:
            r["errors"]["places"] = "places.sqlite was not accepted: %s %s" % (name, replaced)
        return {"database_status": name, "set_aside": replaced}
    part("places", places)
    if "logins" in what or "cards" in what:  # first: a primary password unlocks cards too
        def logins():
            v = _via_file(ff, "const pw = args[0];" + LOGINS_JS, primary_password)
            if v.get("error"):
                r["errors"]["logins"] = v["error"]
            return v
        part("logins", logins)
    if "bookmarks" in what:
        part("bookmarks", lambda: _via_file(ff, BOOKMARKS_JS))
    if "history" in what:
        def hist():
            v = _via_file(ff, "const maxItems = args[0];" + HISTORY_JS, 0)
            shown = {}
            for u, t, _time, n in v["shown"]:
                shown[u] = (t, n)
            pages = []
            for row in v["pages"]:
                p = dict(zip(v["cp"], row))
                pages.append({"url": p["url"], "title": p["title"], "visit_count": p["visit_count"],
                              "hidden": bool(p["hidden"]), "typed": bool(p["typed"]),
                              "frecency": p["frecency"], "last_visit_usec": p["last_visit_date"],
                              "shown_in_library": p["url"] in shown})
            visits = []
            for row in v["visits"]:
                x = dict(zip(v["cv"], row))
                visits.append({"url": x["url"], "time_usec": x["visit_date"],
                               "transition": TRANSITIONS.get(x["visit_type"], str(x["visit_type"])),
                               "from": {"url": x["from_url"], "time_usec": x["from_date"]}
                               if x["from_url"] is not None else None, "source": x["source"]})
            c = v["counts"]
            c["shown_in_library"] = v["shownCount"]
            return {"counts": c, "pages": pages, "visits": visits}
        part("history", hist)
    if "cards" in what:
        if r.get("logins", {}).get("error"):
            r["errors"]["payment"] = "locked by the primary password"
        else:
            part("payment", lambda: _via_file(ff, CARDS_JS))
    if "extensions" in what:
        part("extensions", lambda: _via_file(ff, EXTENSIONS_JS))
    if check:
        part("check", lambda: _via_file(ff, CHECK_JS))
    return r


ALL = ["bookmarks", "history", "logins", "cards"]


def view(profile, what=ALL, check=True, primary_password=None):
    """Starts Firefox on a copy, so that the profile itself stays as it is."""
    copy = copy_profile(profile, "ff.")
    try:
        with Firefox(copy) as ff:
            return query(ff, what, check=check, primary_password=primary_password)
    finally:
        shutil.rmtree(copy, ignore_errors=True)
