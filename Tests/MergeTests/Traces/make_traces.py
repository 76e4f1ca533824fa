#!/usr/bin/env python3
"""Executable model of the sync design, written before the program and apart from it; and the maker of traces.

State based, per record, causal (dot) CRDT  +  a pure "view" function that repairs structure.
Checked by random schedules against an independent oracle (explicit happens-before sets).

  python3 make_traces.py --runs 10000 --seed 1          # the design
  python3 make_traces.py --mutants --runs 400           # every deliberately broken variant must be caught
  python3 make_traces.py --replay SEED [--variant X]    # replay one schedule, print the steps
  python3 make_traces.py --trace 200 > traces.json      # schedules with all that happened, and how they end

Only the standard library.  No network.  Deterministic: a schedule is a pure function of its seed.
"""
import argparse, hashlib, json, random, sys, time
from collections import Counter, defaultdict

ROOTS = ("root:toolbar", "root:menu", "root:other", "root:reading")
FALLBACK = "root:other"


class Violation(Exception):
    pass


# ------------------------------------------------------------------ position keys
KEY_INT = 6           # big-endian integer head, then a fraction, then a 4 byte tag
STEP = 1 << 20
MID = 1 << 47


def _frac_between(a, b):
    """bytes k with a < k < b, whatever is appended to k (b None = +inf)."""
    out, i = bytearray(), 0
    while True:
        x = a[i] if i < len(a) else 0
        y = 256 if b is None else (b[i] if i < len(b) else 256)
        if y - x > 1:
            out.append((x + y) // 2)
            return bytes(out)
        out.append(x)
        if y != x:
            b = None
        i += 1


def key_between(a, b, tag):
    """order key strictly between a and b (either may be None)."""
    if a is None and b is None:
        return MID.to_bytes(KEY_INT, "big") + tag
    if b is None:
        return (int.from_bytes(a[:KEY_INT], "big") + STEP).to_bytes(KEY_INT, "big") + tag
    if a is None:
        return (int.from_bytes(b[:KEY_INT], "big") - STEP).to_bytes(KEY_INT, "big") + tag
    ia, ib = int.from_bytes(a[:KEY_INT], "big"), int.from_bytes(b[:KEY_INT], "big")
    if ib - ia > 1:
        return ((ia + ib) // 2).to_bytes(KEY_INT, "big") + tag
    return _frac_between(a, b) + tag


# ------------------------------------------------------------------ records and join
class Rec:
    # hi: greatest stamp time ever seen on this record (a Lamport clock per record)
    __slots__ = ("rid", "vers", "ctx", "grave", "hi", "hist")

    def __init__(self, rid, vers=None, ctx=None, grave=None, hi=0, hist=0):
        self.rid, self.vers, self.ctx, self.grave, self.hi, self.hist = rid, vers or {}, ctx or {}, grave, hi, hist

    def state(self):                      # what the digest covers (hist is oracle-only)
        return (self.rid, tuple(sorted((d, tuple(sorted(f.items()))) for d, (f, _s) in self.vers.items())),
                tuple(sorted(self.ctx.items())), self.grave, self.hi)

    def copy(self):
        return Rec(self.rid, dict(self.vers), dict(self.ctx), self.grave, self.hi, self.hist)


def covered(dot, ctx):
    return ctx.get(dot[0], -1) >= dot[1]


def join(a, b):
    """Least upper bound of two states of the same record."""
    vers = {}
    for d, v in a.vers.items():
        if d in b.vers or not covered(d, b.ctx):
            vers[d] = v
    for d, v in b.vers.items():
        if d in a.vers or not covered(d, a.ctx):
            vers[d] = v
    ctx = dict(a.ctx)
    for r, n in b.ctx.items():
        if ctx.get(r, -1) < n:
            ctx[r] = n
    grave = a.grave if b.grave is None else b.grave if a.grave is None else max(a.grave, b.grave)
    return Rec(a.rid, vers, ctx, grave, max(a.hi, b.hi), a.hist | b.hist)


def resolve(rec):
    """field -> (value, stamp): the greatest stamp over the concurrent versions."""
    out = {}
    for f, _seen in rec.vers.values():
        for k, vs in f.items():
            if k not in out or vs[1] > out[k][1]:
                out[k] = vs
    return out


def conflicts(rec):
    """field -> losing values that the winner's author had not seen (never dropped silently)."""
    res = defaultdict(list)
    if len(rec.vers) < 2:
        return res
    win = {}
    for d, (f, seen) in rec.vers.items():
        for k, vs in f.items():
            if k not in win or vs[1] > win[k][0][1]:
                win[k] = (vs, d, seen)
    for d, (f, _s) in rec.vers.items():
        for k, vs in f.items():
            w, wd, wseen = win[k]
            dot = (vs[1][1], vs[1][2])
            if vs[0] != w[0] and dot != wd and not covered(dot, wseen):
                res[k].append(vs[0])
    return res


# ------------------------------------------------------------------ the view (pure function)
class Node:
    __slots__ = ("canon", "members", "kind", "title", "url", "occ", "pos", "kids", "parent")


def build_view(recs, V=frozenset(), salt=""):
    alive = {}
    for rid, r in recs.items():
        if r.vers:
            alive[rid] = resolve(r)

    def lift(p):
        seen = set()
        while True:
            if p in ROOTS:
                return p
            if p in alive and alive[p]["kind"][0] == "f":
                return p
            if p in seen:
                return FALLBACK
            seen.add(p)
            r = recs.get(p)
            if r is None or r.grave is None:
                return FALLBACK
            p = r.grave[1]

    par = {rid: lift(f["place"][0][0]) for rid, f in alive.items()}
    cut = []
    if "no_cycle_repair" not in V:
        state = {}
        for start in (sorted(alive, key=lambda x: hashlib.md5((salt + x).encode()).digest())
                      if "local_cycle_choice" in V else sorted(alive)):
            path, n = [], start
            while n in par and n not in state:
                state[n] = 1
                path.append(n)
                n = par[n]
            if n in par and state.get(n) == 1:          # found a cycle: break its newest move
                cyc = path[path.index(n):]
                if "local_cycle_choice" in V:
                    cut.append(cyc[-1])                 # depends on arrival order: must diverge
                else:
                    cut.append(max(cyc, key=lambda x: alive[x]["place"][1]))
            for p in path:
                state[p] = 2
        for n in cut:
            par[n] = FALLBACK
        for n in sorted(cut, key=lambda x: alive[x]["place"][1]):
            prev = alive[n]["place"][0][2]
            if prev is None:
                continue
            cand = lift(prev)
            x, ok = cand, True
            while x not in ROOTS:
                if x == n:
                    ok = False
                    break
                x = par[x]
            if ok:
                par[n] = cand

    kids = defaultdict(list)
    for rid, p in par.items():
        kids[p].append(rid)

    nodes, where = {}, {}

    def group(fold_members, parent_node, depth):
        if depth > 400:
            raise Violation("view too deep (cycle)")
        groups = defaultdict(list)
        for m in fold_members:
            for c in kids.get(m, ()):
                f = alive[c]
                kind = f["kind"][0]
                if kind == "s" or "no_dedupe" in V:
                    key = (kind, c)
                else:
                    key = (kind, f["url"][0], f["title"][0], f["occ"][0] if "no_occ" not in V else 0)
                groups[key].append(c)
        out = []
        for key, ms in groups.items():
            ms.sort(key=lambda m: (alive[m]["place"][1][1], m))     # placed-by replica, then id
            n = Node()
            n.canon, n.members = ms[0], ms
            f = alive[ms[0]]
            n.kind, n.title, n.url, n.occ = f["kind"][0], f["title"][0], f["url"][0], f["occ"][0]
            n.pos, n.parent = f["place"][0][1], parent_node
            out.append(n)
            for m in ms:
                where[m] = n
            nodes[n.canon] = n
        if "no_tiebreak" in V:
            out.sort(key=lambda n: n.pos[:KEY_INT])
        else:
            out.sort(key=lambda n: (n.pos, n.canon))
        for n in out:
            n.kids = group(n.members, n, depth + 1) if n.kind == "f" else []
        return out

    tree = {r: group([r], r, 0) for r in ROOTS}
    return View(tree, nodes, where, alive, par, cut)


class View:
    def __init__(self, tree, nodes, where, alive, par, cut):
        self.tree, self.nodes, self.where, self.alive, self.par, self.cut = tree, nodes, where, alive, par, cut

    def shape(self):
        def sh(ns):
            return tuple((n.kind, n.title, n.url, n.occ, n.canon, tuple(sorted(n.members)), sh(n.kids)) for n in ns)
        return tuple((r, sh(self.tree[r])) for r in ROOTS)

    def folders(self):
        return list(ROOTS) + [n for n in self.nodes.values() if n.kind == "f"]

    def kids_of(self, f):
        return self.tree[f] if isinstance(f, str) else f.kids

    def within(self, f, n):
        """is folder f inside the subtree of n?"""
        while not isinstance(f, str):
            if f is n:
                return True
            f = f.parent
        return False


# ------------------------------------------------------------------ replica
class Replica:
    def __init__(self, world, name, skew_ms):
        self.w, self.name, self.skew = world, name, skew_ms
        self.recs, self.seqof, self.frm = {}, {}, {}
        self.seq = 0
        self.cur = {}                 # peer incarnation -> last seq committed here
        self.knows = {}               # incarnation -> greatest dot counter seen anywhere
        self.n = 0
        self.sent = set()             # rids ever put on a wire (for adopt)
        self.dig = 0                  # order independent digest of all record states
        self.new_incarnation()

    def new_incarnation(self):
        self.inc = "%s.%08d" % (self.name, self.w.fresh())
        self.n_start = self.n

    def now(self):
        return self.w.t + self.skew

    def next_n(self):
        if "plain_counter" in self.w.V:
            self.n = self.n + 1
        else:
            self.n = max(self.n + 1, self.now() * 1000)
        self.knows[self.inc] = self.n
        return self.n

    def tag(self):
        return hashlib.blake2b(("%s%d" % (self.inc, self.w.fresh())).encode(), digest_size=4).digest()

    def view(self):
        return build_view(self.recs, self.w.V, self.name)

    @staticmethod
    def h(rec):
        return int.from_bytes(hashlib.blake2b(repr(rec.state()).encode(), digest_size=16).digest(), "big")

    # ---- committed writes (each call below is one transaction in the real store)
    def put(self, rec, frm=None):
        self.seq += 1
        if "heal" in self.w.opts:
            if rec.rid in self.recs:
                self.dig ^= self.h(self.recs[rec.rid])
            self.dig ^= self.h(rec)
        self.recs[rec.rid] = rec
        self.seqof[rec.rid] = self.seq
        self.frm[rec.rid] = frm
        for r, n in rec.ctx.items():
            if self.knows.get(r, -1) < n:
                self.knows[r] = n

    def edit(self, rid, changes):
        self.w.note("e", self, rid, changes)
        old = self.recs.get(rid)
        rec = old.copy() if old else Rec(rid)
        cur = resolve(rec) if rec.vers else {}
        n = self.next_n()
        seen = dict(rec.ctx)
        fields = dict(cur)
        t = self.now()
        if "field_bump" in self.w.V:               # first draft of the design: bump per field only
            t = max([t] + [cur[k][1][0] + 1 for k in changes if k in cur])
        elif "no_causal_bump" not in self.w.V:
            t = max(t, rec.hi + 1)
        rec.hi = max(rec.hi, t)
        for k, v in changes.items():
            fields[k] = (v, (t, self.inc, n))
        rec.vers = {(self.inc, n): (fields, seen)}
        rec.ctx[self.inc] = n
        self.w.steps and self.w.steps[-1].append(n)
        op = self.w.log_edit(rid, rec.hist, fields)
        self.w.dotop[(rid, self.inc, n)] = op
        rec.hist |= 1 << op
        self.put(rec)
        return op

    def delete(self, rid):
        self.w.note("d", self, rid)
        rec = self.recs[rid].copy()
        f = resolve(rec)
        if f["kind"][0] == "f":
            g = (f["place"][1], f["place"][0][0])
            rec.grave = g if rec.grave is None else max(rec.grave, g)
        op = self.w.log_delete(rid, rec.hist)
        rec.hist |= 1 << op
        if "lww_delete" in self.w.V:
            # delete as a timestamped register: wins over every edit with a smaller stamp
            self.w.lww_del[(self.name, rid)] = self.now()
        rec.vers = {}
        if "forget_ctx" in self.w.V:
            rec.ctx = {}
        self.put(rec)

    # ---- local user operations, expressed on the view
    def commit_repairs(self):
        v = self.view()
        if "no_commit_repairs" in self.w.V:
            return v
        if v.cut:
            for n in v.cut:
                f = v.alive[n]["place"][0]
                self.edit(n, {"place": (v.par[n], f[1], None)})
            v = self.view()
        return v

    def slot(self, v, folder, i, exclude=None):
        """key for index i in folder (re-keys a run of equal keys when it must)."""
        kids = [k for k in v.kids_of(folder) if k is not exclude]
        a = kids[i - 1].pos if i > 0 else None
        b = kids[i].pos if i < len(kids) else None
        if a is not None and b is not None and a >= b:
            j = i
            while j < len(kids) and kids[j].pos <= a:
                j += 1
            c = kids[j].pos if j < len(kids) else None
            k0 = key_between(a, c, self.tag())
            prev = k0
            for m in kids[i:j]:
                prev = key_between(prev, c, self.tag())
                for mem in m.members:
                    pl = v.alive[mem]["place"][0]
                    self.edit(mem, {"place": (pl[0], prev, pl[2])})
            return k0
        return key_between(a, b, self.tag())

    def free_occ(self, v, folder, kind, url, title, exclude=None):
        used = {k.occ for k in v.kids_of(folder)
                if k is not exclude and (k.kind, k.url, k.title) == (kind, url, title)}
        o = 0
        while o in used:
            o += 1
        return o

    def fid(self, folder):
        return folder if isinstance(folder, str) else folder.canon

    def op_add(self, rng, kind, url, title):
        v = self.commit_repairs()
        folder = rng.choice(v.folders())
        i = rng.randint(0, len(v.kids_of(folder)))
        before = len(v.kids_of(folder))
        pos = self.slot(v, folder, i)
        rid = "%016x" % rng.getrandbits(64)
        occ = self.free_occ(v, folder, kind, url, title)
        self.edit(rid, {"kind": kind, "title": title, "url": url, "occ": occ,
                        "place": (self.fid(folder), pos, None)})
        v2 = self.view()
        k2 = v2.tree[folder] if isinstance(folder, str) else v2.where[folder.canon].kids
        if len(k2) != before + 1 or k2[i].canon != rid:
            raise Violation("local insert not at its index / collapsed")
        return "add %s %s %s" % (kind, title, rid[:4])

    def op_edit(self, rng, titles, urls):
        v = self.commit_repairs()
        cand = [n for n in v.nodes.values() if n.kind != "s"]
        if not cand:
            return None
        cand.sort(key=lambda n: n.canon)
        n = rng.choice(cand)
        title, url = n.title, n.url
        if rng.random() < .6 or n.kind == "f":
            title = rng.choice(titles)
        else:
            url = rng.choice(urls)
        occ = self.free_occ(v, n.parent, n.kind, url, title, exclude=n)
        ch = {}
        if title != n.title: ch["title"] = title
        if url != n.url: ch["url"] = url
        if occ != n.occ: ch["occ"] = occ
        if not ch:
            return None
        cnt = len(v.nodes)
        for m in n.members:
            self.edit(m, ch)
        v2 = self.view()
        nn = v2.where[n.canon]
        if (nn.title, nn.url) != (title, url):
            raise Violation("own edit not visible (read-your-writes)")
        if len(v2.nodes) != cnt:
            raise Violation("local edit collapsed or split items")
        return "edit %s" % n.canon[:4]

    def op_move(self, rng):
        v = self.commit_repairs()
        cand = sorted(v.nodes.values(), key=lambda n: n.canon)
        if not cand:
            return None
        n = rng.choice(cand)
        dests = [f for f in v.folders() if not v.within(f, n)]
        dests.sort(key=lambda f: self.fid(f))
        d = rng.choice(dests)
        kids = [k for k in v.kids_of(d) if k is not n]
        i = rng.randint(0, len(kids))
        old_parents = {m: ({x.parent} if isinstance(x.parent, str) else set(x.parent.members))
                       for x in v.nodes.values() for m in x.members}
        cnt = len(v.nodes)
        pos = self.slot(v, d, i, exclude=n)
        occ = self.free_occ(v, d, n.kind, n.url, n.title, exclude=n)
        for m in n.members:
            ch = {"place": (self.fid(d), pos, v.par[m])}
            if n.kind != "s" and occ != n.occ:
                ch["occ"] = occ
            self.edit(m, ch)
            pos = key_between(pos, (kids[i].pos if i < len(kids) else None), self.tag()) \
                if len(n.members) > 1 and (i >= len(kids) or kids[i].pos > pos) else pos
        v2 = self.view()
        nn = v2.where[n.canon]
        k2 = [nn.parent] if isinstance(nn.parent, str) else nn.parent.members
        if self.fid(d) not in k2:
            raise Violation("local move did not land in its folder")
        sib = v2.tree[nn.parent] if isinstance(nn.parent, str) else nn.parent.kids
        if sib.index(nn) != i:
            raise Violation("local move not at its index")
        if len(v2.nodes) != cnt:
            raise Violation("local move collapsed or split items")
        for x in v2.nodes.values():          # no action at a distance
            if x.canon in n.members:
                continue
            p = {x.parent} if isinstance(x.parent, str) else set(x.parent.members)
            if not p & old_parents[x.canon]:
                raise Violation("local move displaced another item")
        return "move %s -> %s" % (n.canon[:4], self.fid(d)[:9])

    def op_delete(self, rng):
        v = self.commit_repairs()
        cand = sorted(v.nodes.values(), key=lambda n: n.canon)
        if not cand:
            return None
        n = rng.choice(cand)
        dead = []

        def rec(x):
            dead.extend(x.members)
            for k in x.kids:
                rec(k)
        rec(n)
        cnt = len(v.nodes)
        for m in dead:
            self.delete(m)
        v2 = self.view()
        for m in dead:
            if m in v2.where:
                raise Violation("deleted item still visible locally")
        return "delete %s (%d)" % (n.canon[:4], len(dead))

    # ---- adopt: re-identify own never-sent records that match received ones (Dogear's rule)
    def adopt(self):
        if "adopt" not in self.w.opts:
            return
        v = self.view()
        todo = [n for n in v.nodes.values() if len(n.members) > 1]
        own_order = defaultdict(list)          # folder -> our never-sent items in our own order
        if "rekey" in self.w.opts:
            for rid, f in v.alive.items():
                if rid not in self.sent and set(self.recs[rid].ctx) == {self.inc}:
                    own_order[v.par[rid]].append((f["place"][0][1], rid))
        dropped = {}
        for n in todo:
            # adoptable = born in this incarnation and never put on any wire, nothing else
            sentm = [m for m in n.members if m in self.sent or set(self.recs[m].ctx) != {self.inc}]
            own = [m for m in n.members if m not in sentm]
            if not sentm or not own:
                continue
            keep = min(sentm)
            for m in own:
                dropped[m] = keep
                for c, f in list(v.alive.items()):
                    if f["place"][0][0] == m and c in self.recs and self.recs[c].vers:
                        pl = resolve(self.recs[c])["place"][0]
                        if pl[0] == m:
                            self.edit(c, {"place": (keep, pl[1], pl[2])})
                self.w.forget(m, self.recs[m].hist)
                if "heal" in self.w.opts:
                    self.dig ^= self.h(self.recs[m])
                del self.recs[m], self.seqof[m], self.frm[m]
        # re-key what is left of our own items around the adopted anchors, keeping our order
        for fold, lst in own_order.items():
            lst.sort()
            if not any(r in dropped for _p, r in lst):
                continue
            prev, run = None, []
            for _p, r in lst + [(None, None)]:
                if r is not None and r not in dropped:
                    run.append(r)
                    continue
                nxt = resolve(self.recs[dropped[r]])["place"][0][1] if r is not None else None
                hi = nxt if nxt is not None and (prev is None or prev < nxt) else None
                if hi is None and prev is not None:
                    sib = sorted(resolve(x)["place"][0][1] for x in self.recs.values() if x.vers and
                                 resolve(x)["place"][0][0] == fold and x.rid not in run)
                    hi = next((k for k in sib if k > prev), None)
                lo = prev
                if lo is None and hi is not None and run:      # a run in front of the first anchor
                    k = hi
                    for x in reversed(run):
                        k = key_between(None, k, self.tag())
                        pl = resolve(self.recs[x])["place"][0]
                        self.edit(x, {"place": (pl[0], k, pl[2])})
                else:
                    for x in run:
                        lo = key_between(lo, hi, self.tag())
                        pl = resolve(self.recs[x])["place"][0]
                        self.edit(x, {"place": (pl[0], lo, pl[2])})
                run, prev = [], nxt if nxt is not None else prev

    # ---- sync, one direction: self (sender) -> peer (receiver)
    def pull_from(self, s, rng, fault):
        """receiver side.  Returns rows transferred, or None when the link broke."""
        w = self.w
        cur = self.cur.get(s.inc, 0)
        rows = 0
        while True:
            batch = sorted((q, rid) for rid, q in s.seqof.items() if q > cur)
            if "unordered_rows" in w.V:
                rng.shuffle(batch)
            batch = batch[:rng.randint(1, 4)]
            if not batch:
                self.cur[s.inc] = max(self.cur.get(s.inc, 0), s.seq)
                return rows
            top = max(q for q, _r in batch)
            out = [s.recs[rid].copy() for _q, rid in batch if s.frm.get(rid) != self.inc]
            w.echo_skipped += len(batch) - len(out)
            for r in out:
                s.sent.add(r.rid)
            rows += len(out)
            w.rows += len(out)
            f = fault()
            if f == "cut":
                return None
            if "cursor_first" in w.V:                  # broken: cursor committed before the rows
                self.cur[s.inc] = top
            if f == "crash_rx":                        # receiver dies inside its transaction
                return None
            if f == "dup":
                out = out + out
            if f == "reorder":
                rng.shuffle(out)
            w.note_rows(self, s, [r.rid for r in out])
            changed = {}
            for r in out:
                mine = changed.get(r.rid) or self.recs.get(r.rid)
                j = join(mine, r) if mine else r.copy()
                if "lww_delete" in w.V:
                    j = w.apply_lww(self, s, j, r, mine)
                if mine is None or j.state() != mine.state() or j.hist != mine.hist:
                    changed[r.rid] = j
            for rid, j in changed.items():
                inc = next(r for r in out if r.rid == rid)
                same = j.state() == inc.state() and j.hist == inc.hist
                self.put(j, s.inc if same or "echo_always" in w.V else None)
            if "cursor_first" not in w.V:
                self.cur[s.inc] = top
            cur = top
            if f == "crash_after":                     # dies after commit, before the ack
                return None


def hello(a, b):
    """rollback detection: a peer that has seen more of me than I have makes me a new incarnation."""
    if "no_rollback_check" in a.w.V:
        return
    for x, y in ((a, b), (b, a)):
        if y.knows.get(x.inc, 0) > x.n or y.cur.get(x.inc, 0) > x.seq:
            x.new_incarnation()


def sync(a, b, rng, fault):
    hello(a, b)
    first, second = (a, b) if rng.random() < .5 else (b, a)
    r1 = first.pull_from(second, rng, fault)
    if r1 is None:
        return None
    first.adopt()
    r2 = second.pull_from(first, rng, fault)
    if r2 is None:
        return None
    if "heal" in a.w.opts and a.dig != b.dig:
        # both drained both ways, so equal digests are guaranteed unless identity was reused or
        # a store was damaged: forget the cursors, take a new incarnation, exchange everything
        a.w.stats["healed"] += 1
        for x, y in ((a, b), (b, a)):
            x.new_incarnation()
            x.cur = {k: q for k, q in x.cur.items() if not k.startswith(y.name + ".")}
            x.frm = dict.fromkeys(x.frm)
        first.pull_from(second, rng, lambda: None)
        second.pull_from(first, rng, lambda: None)
        return None
    return r1 + r2


# ------------------------------------------------------------------ world, schedule, oracle
class World:
    def __init__(self, seed, variant=None, opts=(), trace=False):
        self.rng = random.Random(seed)
        self.V = frozenset(variant.split('+') if variant else ())
        self.opts = frozenset(opts)
        self.t = 1_700_000_000_000
        self.c = 0
        self.ops = []              # ('e'|'d', rid, observed mask, fields)
        self.byrid = defaultdict(list)
        self.rows = self.echo_skipped = 0
        self.lww_del = {}
        self.dotop = {}
        self.pairs = []
        self.stats = Counter()
        self.trace = trace
        self.steps = None          # what happens, to be replayed elsewhere

    # ---- a trace: what each store did, in an order in which it can be done again
    def note(self, what, rep, rid=None, changes=None):
        if self.steps is None:
            return
        step = [what, int(rep.name[1:])]
        if rid is not None:
            step.append(rid)
        if what == "e":
            step += [int(rep.inc.split(".")[1]), rep.now(), plain(changes)]
        self.steps.append(step)

    def note_rows(self, receiver, sender, rids):
        if self.steps is not None and rids:
            self.steps.append(["p", int(receiver.name[1:]), int(sender.name[1:]), rids])

    def fresh(self):
        self.c += 1
        return self.c

    def log_edit(self, rid, hist, fields):
        self.ops.append(("e", rid, hist, {k: v[0] for k, v in fields.items()}))
        self.byrid[rid].append(len(self.ops) - 1)
        return len(self.ops) - 1

    def log_delete(self, rid, hist):
        self.ops.append(("d", rid, hist, None))
        self.byrid[rid].append(len(self.ops) - 1)
        return len(self.ops) - 1

    def forget(self, rid, hist):
        self.forgotten = getattr(self, "forgotten", set())
        self.forgotten.add(rid)

    def apply_lww(self, me, s, j, r, mine):
        d = max([t for (nm, rid), t in self.lww_del.items() if rid == r.rid] or [None], key=lambda x: x or -1)
        if d is not None and j.vers:
            f = resolve(j)
            if max(st[0] for _v, st in f.values()) < d:
                j = Rec(j.rid, {}, j.ctx, j.grave, j.hi, j.hist)
        return j

    # ---------------- checks
    def check_record(self, rid, rec):
        """exactly the maximal edits survive; alive iff some edit no delete has seen."""
        ids = [i for i in self.byrid[rid] if rec.hist >> i & 1]
        maximal = []
        for i in ids:
            if self.ops[i][0] != "e":
                continue
            if not any(self.ops[j][2] >> i & 1 for j in ids if j != i):
                maximal.append(i)
        alive = any(self.ops[i][0] == "e" and not any(self.ops[j][0] == "d" and self.ops[j][2] >> i & 1 for j in ids)
                    for i in ids)
        if alive != bool(rec.vers):
            raise Violation("aliveness of %s: oracle %s, state %s" % (rid[:4], alive, bool(rec.vers)))
        want = Counter(tuple(sorted(self.ops[i][3].items())) for i in maximal)
        have = Counter(tuple(sorted((k, v[0]) for k, v in f.items())) for f, _s in rec.vers.values())
        if want != have:
            raise Violation("surviving versions of %s differ from the oracle's maximal edits" % rid[:4])
        # nothing silently lost: every value of every surviving version is shown, or listed as a
        # conflict, or was seen and replaced by the author of the shown value (oracle: op history)
        if len(rec.vers) > 1:
            self.stats["multi_version_records"] += 1
            con = conflicts(rec)
            win = {}
            for d, (f, seen) in rec.vers.items():
                for k, vs in f.items():
                    if k not in win or vs[1] > win[k][0][1]:
                        win[k] = (vs, d, seen)
            for d, (f, _s) in rec.vers.items():
                for k, vs in f.items():
                    (wv, ws), wd, _ws = win[k]
                    if vs[0] == wv:
                        continue
                    origin = self.dotop[(rid, vs[1][1], vs[1][2])]
                    wop = self.dotop[(rid,) + wd]
                    superseded = bool(self.ops[wop][2] >> origin & 1)
                    if superseded == (vs[0] in con.get(k, ())) and not superseded:
                        raise Violation("a concurrent value is neither shown nor listed")
            for k, ((wv, ws), wd, _x) in win.items():
                worigin = self.dotop[(rid, ws[1], ws[2])]
                for d, (f, _s) in rec.vers.items():
                    o = self.dotop[(rid, f[k][1][1], f[k][1][2])]
                    if o != worigin and self.ops[o][2] >> worigin & 1:
                        raise Violation("a causally overwritten value is shown")

    def check_view(self, r):
        v = r.view()
        shown = Counter()

        def walk(ns, seen):
            prev = None
            keys = set()
            for n in ns:
                for m in n.members:
                    shown[m] += 1
                k = (n.kind, n.url, n.title, n.occ) if n.kind != "s" else (n.kind, n.canon)
                if k in keys:
                    raise Violation("duplicate siblings in view")
                keys.add(k)
                cur = (n.pos, n.canon)
                if prev is not None and not prev < cur and "no_tiebreak" not in self.V:
                    raise Violation("sibling order not total")
                prev = cur
                walk(n.kids, seen | {n.canon})
        for root in ROOTS:
            walk(v.tree[root], frozenset())
        for rid in v.alive:
            if shown[rid] != 1:
                raise Violation("alive record shown %d times (cycle or orphan)" % shown[rid])
        return v

    def schedule(self, steps, nrep):
        rng = self.rng
        skews = [rng.choice((0, 0, 37, -5000, 86_400_000, -86_400_000 * 30, 400_000_000_000)) for _ in range(nrep)]
        R = [Replica(self, "r%d" % i, skews[i]) for i in range(nrep)]
        self.R = R
        titles = ["t%d" % i for i in range(4)]
        urls = ["u%d" % i for i in range(4)]
        # any connected topology
        edges = {(i, rng.randrange(i)) for i in range(1, nrep)}
        for _ in range(rng.randint(0, nrep)):
            i, j = rng.sample(range(nrep), 2)
            edges.add((max(i, j), min(i, j)))
        edges = sorted(edges)
        faulty = rng.random() < .8

        def fault():
            if not faulty:
                return None
            x = rng.random()
            return "cut" if x < .06 else "crash_rx" if x < .12 else "crash_after" if x < .18 else \
                "dup" if x < .24 else "reorder" if x < .34 else None
        snaps = {}
        prof = rng.choice(("mixed", "mixed", "treefight", "editwar", "twins"))
        if prof == "treefight":        # few folders, many concurrent folder moves, rare contact
            cut = (.14, .16, .62, .66, .68, .70); kinds = "ffffb"
        elif prof == "editwar":
            cut = (.10, .50, .56, .66, .68, .70); kinds = "bbbbf"
        elif prof == "twins":          # small alphabet: the same item added on several devices
            cut = (.40, .46, .52, .60, .62, .64); kinds = "bbf"; titles, urls = titles[:1], urls[:2]
        else:
            cut = (.26, .42, .60, .68, .70, .715); kinds = "bbbbffs"
        if prof == "treefight":
            for _ in range(rng.randint(3, 6)):
                R[0].op_add(rng, "f", "", "f%d" % self.fresh())
            for _ in range(nrep):
                for i, j in edges:
                    sync(R[i], R[j], rng, lambda: None)
        # how often a chosen sync really happens
        contact = rng.choice((.05, .15, .35) if prof == "treefight" else (1.0, 1.0, .35, .1))
        for step in range(steps):
            self.t += rng.randint(0, 20)
            x = rng.random()
            r = rng.choice(R)
            what = None
            if x < cut[0]:
                what = r.op_add(rng, rng.choice(kinds), rng.choice(urls), rng.choice(titles))
            elif x < cut[1]:
                what = r.op_edit(rng, titles, urls)
            elif x < cut[2]:
                what = r.op_move(rng)
            elif x < cut[3]:
                what = r.op_delete(rng)
            elif x < cut[4] and "restore" in self.opts:
                self.note("s", r)
                snaps[r.name] = ({k: v.copy() for k, v in r.recs.items()}, dict(r.seqof), dict(r.frm), r.seq,
                                 dict(r.cur), dict(r.knows), r.n, r.inc, set(r.sent))
            elif x < cut[5] and "restore" in self.opts and r.name in snaps:
                s = snaps.pop(r.name)
                self.note("r", r)
                r.recs = {k: v.copy() for k, v in s[0].items()}
                r.seqof, r.frm, r.seq = dict(s[1]), dict(s[2]), s[3]
                r.cur, r.knows, r.n, r.inc, r.sent = dict(s[4]), dict(s[5]), s[6], s[7], set(s[8])
                r.dig = 0
                if "heal" in self.opts:
                    for rec in r.recs.values():
                        r.dig ^= r.h(rec)
                self.stats["restores"] += 1
                if "no_lease" not in self.V:
                    r.new_incarnation()            # the lease file says: this is a restored copy
                what = "RESTORE"
            else:
                i, j = rng.choice(edges)
                if rng.random() > contact:
                    continue
                n = sync(R[i], R[j], rng, fault)
                self.stats["sessions"] += 1
                self.stats["broken_sessions"] += n is None
                what = "sync r%d r%d -> %s" % (i, j, n)
            if self.trace:
                print("%3d %s %s" % (step, r.name, what))
            if what and x < cut[3]:
                self.stats["ops"] += 1
            if step % 7 == 3:
                self.remember_order(r)
        # quiesce over the topology's edges only
        for rnd in range(4 * nrep + 8):
            moved = 0
            for i, j in edges:
                n = sync(R[i], R[j], rng, lambda: None)
                moved += 1 if n is None else n
            if moved == 0 and rnd > 0:
                break
        else:
            raise Violation("did not quiesce")
        # one more full round must move nothing (deltas only, idempotent)
        seqs = [r.seq for r in R]
        for i, j in edges:
            if sync(R[i], R[j], rng, lambda: None) != 0:
                raise Violation("rows sent after convergence")
        if [r.seq for r in R] != seqs:
            raise Violation("idle sync wrote something")
        self.final(R)
        return R

    def remember_order(self, r):
        v = r.view()
        for f in v.folders():
            ks = [k for k in v.kids_of(f) if len(k.members) == 1]
            for a, b in zip(ks, ks[1:]):
                self.pairs.append((a.canon, v.alive[a.canon]["place"], b.canon, v.alive[b.canon]["place"]))

    def check_order(self, v):
        for a, pa, b, pb in self.pairs:
            na, nb = v.where.get(a), v.where.get(b)
            if na is None or nb is None or na is nb or len(na.members) > 1 or len(nb.members) > 1:
                continue
            if v.alive[a]["place"] != pa or v.alive[b]["place"] != pb or na.parent is not nb.parent:
                continue
            sib = v.kids_of(na.parent)
            self.stats["order_pairs"] += 1
            if sib.index(na) > sib.index(nb):
                raise Violation("relative order of two untouched siblings changed")

    def final(self, R):
        s0 = None
        shape0 = None
        for r in R:
            st = {rid: rec.state() for rid, rec in r.recs.items()}
            if s0 is None:
                s0 = st
            elif st != s0:
                raise Violation("states diverge")
            for rid, rec in r.recs.items():
                self.check_record(rid, rec)
            v = self.check_view(r)
            self.check_order(v)
            sh = v.shape()
            if shape0 is None:
                shape0 = sh
            elif sh != shape0:
                raise Violation("views diverge")
        # lattice laws on the real states that occurred
        recs = list(R[0].recs.values())
        for rec in recs[:6]:
            if join(rec, rec).state() != rec.state():
                raise Violation("join not idempotent")
        self.stats["records"] += len(recs)
        self.stats["cuts"] += len(R[0].view().cut)
        self.stats["tombs"] += sum(1 for x in recs if not x.vers)
        self.stats["dups_hidden"] += sum(len(n.members) - 1 for n in R[0].view().nodes.values())
        self.stats["lifted"] += sum(1 for rid, f in R[0].view().alive.items()
                                    if f["place"][0][0] != R[0].view().par[rid])
        # nothing that any replica ever synced is missing: union of histories is everywhere the same
        for rec in recs:
            self.stats["conflict_values"] += sum(len(x) for x in conflicts(rec).values())


ROOT_NUMBERS = {"root:toolbar": 1, "root:menu": 2, "root:other": 3, "root:reading": 4}


def folder(rid):
    return ROOT_NUMBERS.get(rid, rid)


def plain(fields):
    """fields as JSON: a place is [parent, key in hexadecimal, former parent]"""
    out = {}
    for k, v in fields.items():
        out[k] = [folder(v[0]), v[1].hex(), None if v[2] is None else folder(v[2])] if k == "place" else v
    return out


def name(inc):
    r, c = inc.split(".")
    return [int(r[1:]), int(c)]


def trace(seed):
    """One schedule: steps and the state in which all stores end."""
    w = World(seed, None, ("restore",))
    w.steps = []
    meta = random.Random(seed ^ 0x5EED)
    R = w.schedule(meta.randint(15, 90), meta.randint(2, 5))
    stamp = lambda s: [s[0], name(s[1]), s[2]]
    records = {}
    for rid, r in sorted(R[0].recs.items()):
        records[rid] = {
            "v": [[name(d[0]), d[1], {k: stamp(vs[1]) for k, vs in f.items()}, plain({k: vs[0] for k, vs in f.items()})]
                  for d, (f, _s) in sorted(r.vers.items())],
            "c": sorted([name(i), n] for i, n in r.ctx.items()),
            "g": None if r.grave is None else [stamp(r.grave[0]), folder(r.grave[1])],
            "h": r.hi}
    v = R[0].view()

    def shape(ns):
        return [[n.canon, sorted(n.members), shape(n.kids)] for n in ns]
    return {"seed": seed, "stores": len(R), "steps": w.steps, "records": records,
            "view": [shape(v.tree[r]) for r in ROOTS]}


def algebra(runs, seed):
    """commutativity / associativity / idempotence of join on arbitrary reachable triples."""
    rng = random.Random(seed)
    bad = 0
    for k in range(runs):
        w = World(rng.getrandbits(48))
        R = [Replica(w, "r%d" % i, rng.choice((0, 10 ** 9, -10 ** 9))) for i in range(3)]
        rid = "x"
        for _ in range(rng.randint(3, 14)):
            w.t += 1
            r = rng.choice(R)
            a = rng.random()
            if a < .55 or rid not in r.recs or not r.recs[rid].vers:
                r.edit(rid, {"kind": "b", "title": rng.choice("ab"), "url": "u", "occ": 0,
                             "place": ("root:menu", b"k", None)})
            elif a < .75:
                r.delete(rid)
            else:
                o = rng.choice(R)
                if rid in o.recs:
                    mine = r.recs.get(rid)
                    r.put(join(mine, o.recs[rid]) if mine else o.recs[rid].copy())
        s = [r.recs[rid] for r in R if rid in r.recs]
        if len(s) < 3:
            continue
        a, b, c = s
        e = lambda x, y: x.state() == y.state()
        if not (e(join(a, b), join(b, a)) and e(join(join(a, b), c), join(a, join(b, c))) and
                e(join(a, a), a) and e(join(join(a, b), b), join(a, b))):
            bad += 1
    return bad


MUTANTS = {
    "no_cycle_repair": "concurrent moves make cycles; items vanish from the view",
    "local_cycle_choice": "cycle broken by a rule that is not a function of the state's stamps",
    "no_commit_repairs": "repairs never written back before a local structural edit",
    "lww_delete": "delete decided by timestamp instead of by what the deleter had seen",
    "forget_ctx": "tombstone forgets its version vector",
    "no_causal_bump": "stamp = wall clock only: own newer edit loses under clock skew",
    "field_bump": "stamp bumped per field, not per record (delete + revive + edit loses the newer edit)",
    "no_occ": "dedupe without an occurrence number: own items collapse",
    "no_dedupe": "no dedupe: the same bookmark added on two devices stays twice",
    "no_tiebreak": "siblings ordered by a key that is not unique",
    "cursor_first": "peer cursor committed before the rows",
    "unordered_rows": "rows not sent in ascending sequence",
    "echo_always": "echo suppressed even when the merge added something",
    "no_lease+no_rollback_check+plain_counter": "restored backup keeps its identity and reuses dots",
    "no_lease+no_rollback_check": "restored backup keeps its identity (time based dots)",
    "no_lease": "restore seen only at the next contact (documented residual)",
}


def run(runs, seed, variant=None, opts=(), verbose=True, stop=False):
    t0, bad, agg, kinds, first = time.time(), 0, Counter(), Counter(), None
    rows = echo = 0
    for k in range(runs):
        s = seed * 1_000_003 + k
        w = World(s, variant, opts)
        meta = random.Random(s ^ 0x5EED)
        try:
            w.schedule(meta.randint(15, 90), meta.randint(2, 5))
        except Violation as e:
            bad += 1
            kinds[str(e).split(":")[0][:60]] += 1
            first = first or s
            if stop:
                break
        except (KeyError, RecursionError, ValueError, IndexError) as e:
            bad += 1
            kinds["crash " + type(e).__name__] += 1
            first = first or s
            if stop:
                break
        agg.update(w.stats)
        rows += w.rows
        echo += w.echo_skipped
    if verbose:
        print("variant=%s opts=%s schedules=%d violations=%d (%.1f s)" % (variant, sorted(opts), runs, bad, time.time() - t0))
        print("  totals:", dict(agg), "rows_sent=%d echo_skipped=%d" % (rows, echo))
        for k, c in kinds.most_common(6):
            print("  %5d x %s" % (c, k))
        if first is not None:
            print("  first failing seed:", first)
    return bad, kinds


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--runs", type=int, default=1000)
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--variant")
    ap.add_argument("--opts", default="restore")
    ap.add_argument("--mutants", action="store_true")
    ap.add_argument("--algebra", type=int, default=0)
    ap.add_argument("--replay", type=int)
    ap.add_argument("--trace", type=int, help="print so many traces as JSON, one a line")
    a = ap.parse_args()
    opts = tuple(x for x in a.opts.split(",") if x)
    if a.trace:
        for k in range(a.trace):
            print(json.dumps(trace(a.seed * 1_000_003 + k), separators=(",", ":")))
        return
    if a.replay is not None:
        w = World(a.replay, a.variant, opts, trace=True)
        meta = random.Random(a.replay ^ 0x5EED)
        w.schedule(meta.randint(15, 90), meta.randint(2, 5))
        print("ok")
        return
    if a.algebra:
        print("join laws violated in %d of %d random triples" % (algebra(a.algebra, a.seed), a.algebra))
        return
    if a.mutants:
        for m in MUTANTS:
            bad, kinds = run(a.runs, a.seed, m, opts, verbose=False)
            top = kinds.most_common(1)[0] if kinds else ("-", 0)
            print("%-42s caught in %5d of %d schedules   top: %s" % (m, bad, a.runs, top[0]))
        return
    bad, _ = run(a.runs, a.seed, a.variant, opts)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
