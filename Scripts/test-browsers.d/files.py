"""Files that Wherry writes for Firefox, taken in by a real one: bookmark HTML, the backup, the table of passwords."""
import os

import firefox
from browsers import Firefox

IMPORT_JS = r"""
  const value = {};
  if (kind == "html") {
    const { BookmarkHTMLUtils } = ChromeUtils.importESModule("resource://gre/modules/BookmarkHTMLUtils.sys.mjs");
    value.count = await BookmarkHTMLUtils.importFromFile(path, { replace: true });
  } else if (kind == "json") {
    const { BookmarkJSONUtils } = ChromeUtils.importESModule("resource://gre/modules/BookmarkJSONUtils.sys.mjs");
    value.count = await BookmarkJSONUtils.importFromFile(path, { replace: true });
  } else {
    const { LoginCSVImport } = ChromeUtils.importESModule("resource://gre/modules/LoginCSVImport.sys.mjs");
    value.rows = (await LoginCSVImport.importFromCSV(path)).map(r => r.result);
  }
"""


def taken(work, kind, path, what):
    """What a fresh Firefox holds after it took the file."""
    with Firefox(work.fresh_firefox()) as ff:
        answer = firefox._via_file(ff, "const [kind, path] = args;" + IMPORT_JS, kind, path)
        return answer, firefox.query(ff, what, check=True)


def plain(nodes, clean, dated):
    """Bookmarks as lines that can be compared."""
    lines, stack = [], [((), nodes)]
    while stack:
        where, children = stack.pop()
        for place, n in enumerate(children):
            lines.append((where, place, n["kind"], clean(n.get("title", "")), n.get("url"), tuple(n.get("tags", [])),
                          n.get("keyword"), dated(n)))
            if n["kind"] == "folder":
                stack.append((where + (place,), n["children"]))
    return lines


def judge(work, Run, check, same, expected):
    """`expected` is what Firefox itself says of the profile that the records come from."""
    home = work.home(work.fixture("firefox-profile"))
    written = {}
    for kind, name in (("html", "html:out.html"), ("json", "json:out.json"), ("csv", "csv-firefox:out.csv")):
        word, file = name.split(":")
        written[kind] = os.path.join(work.new("file"), file)
        os.makedirs(os.path.dirname(written[kind]))
        done = Run(home, "export", "%s:%s" % (word, written[kind]))
        check("files: %s is written" % kind, done.status in (0, 3) and os.path.exists(written[kind]), (done.status, done.said))
    roots = expected["bookmarks"]["roots"]

    _, found = taken(work, "json", written["json"], ["bookmarks"])
    whole = found["bookmarks"]["roots"]
    check("files: the backup is taken without fault", not found["errors"] and not found["check"]["problems"], (found["errors"], found["check"]["problems"]))
    guids = lambda nodes: [g for n in nodes for g in [n["guid"]] + guids(n.get("children", []))]
    for root in ("toolbar", "menu", "unfiled", "mobile"):
        exact = lambda nodes: plain(nodes, str, lambda n: n["date_added_usec"])
        same("files: backup, %s: tree, titles, tags, keywords, dates" % root, exact(roots.get(root, [])), exact(whole.get(root, [])))
        same("files: backup, %s: GUIDs" % root, guids(roots.get(root, [])), guids(whole.get(root, [])))

    _, found = taken(work, "html", written["html"], ["bookmarks"])
    check("files: the HTML is taken without fault", not found["errors"] and not found["check"]["problems"], (found["errors"], found["check"]["problems"]))
    whole = found["bookmarks"]["roots"]
    clean = lambda title: " ".join(title.split())
    # HTML has whole seconds, and Firefox reads none of separators. It knows no mark for Mobile either: a folder of the menu.
    seconds = lambda nodes: plain(nodes, clean, lambda n: n["kind"] != "separator" and n["date_added_usec"] // 1_000_000)
    same("files: HTML, toolbar", seconds(roots["toolbar"]), seconds(whole["toolbar"]))
    same("files: HTML, other bookmarks", seconds(roots["unfiled"]), seconds(whole["unfiled"]))
    count = len(roots["menu"])
    same("files: HTML, menu", seconds(roots["menu"]), seconds(whole["menu"][:count]))
    if roots.get("mobile"):
        rest = whole["menu"][count:]
        same("files: HTML, mobile", seconds(roots["mobile"]), seconds(rest[0]["children"] if rest else []))

    answer, found = taken(work, "csv", written["csv"], ["logins"])
    logins = [l for l in expected["logins"]["logins"] if not l["origin"].startswith("chrome:")]
    check("files: every row of the table is taken", answer["rows"] and set(answer["rows"]) <= {"added"}, answer)
    login = lambda l: (l["origin"], l["http_realm"], l["form_action_origin"], l["username"], l["password"], l["guid"],
                       l["created_usec"], l["last_used_usec"], l["password_changed_usec"])
    ours = [l for l in found["logins"]["logins"] if not l["origin"].startswith("chrome:")]
    same("files: table, logins with realms, GUIDs and times", map(login, logins), map(login, ours))
