#!/usr/bin/env python3
"""A second decoder of the protocol, written from Documentation/Protocol.md alone.

  dissect.py FILE.txt ...          check that every vector's words are what its bytes say; exit 1 if not
  dissect.py --write NAME HEX ...  print vectors, a line of words for each piece of bytes
"""
import sys

LOGS = {1: "bookmarks", 2: "reading-list", 3: "extensions", 4: "passwords", 5: "cards", 6: "visits", 7: "pages",
        8: "resources", 9: "forget-rules"}
TYPES = {1: "bookmarks", 2: "reading-list", 3: "extensions", 4: "passwords", 5: "cards", 6: "history", 8: "resources"}


class Refused(Exception):
    pass


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def left(self):
        return len(self.data) - self.at

    def take(self, count):
        if count > self.left():
            raise Refused("truncated")
        self.at += count
        return self.data[self.at - count:self.at]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.take(1)[0]
            value |= (byte & 127) << shift
            if byte < 128:
                if (byte == 0 and shift) or value >= 1 << 64:
                    raise Refused("long form")
                return value
            shift += 7
            if shift > 63:
                raise Refused("long form")

    def signed(self):
        value = self.varint()
        return value >> 1 if value % 2 == 0 else -(value >> 1) - 1

    def end(self):
        if self.left():
            raise Refused("trailing bytes")


def whole(read):
    def parse(data, _):
        source = Bytes(data)
        value = read(source)
        source.end()
        return str(value)
    return parse


number, signed = whole(Bytes.varint), whole(Bytes.signed)


def text(data, _):
    return repr(data.decode("utf-8"))


def raw(data, _):
    return data.hex()


def exactly(count):
    def parse(data, _):
        if len(data) != count:
            raise Refused("not %d bytes" % count)
        return data.hex()
    return parse


def word(words):
    def parse(data, _):
        value = int(number(data, _))
        if value not in words:
            raise Refused("unknown word")
        return words[value]
    return parse


def bits(words):
    def parse(data, _):
        value = int(number(data, _))
        if value >> 1 << 1 != value or value & ~sum(1 << n for n in words):
            raise Refused("unknown bit")
        return ", ".join(words[n] for n in words if value >> n & 1) or "none"
    return parse


def items(read):
    def parse(data, _):
        source, found = Bytes(data), []
        while source.left():
            found.append(read(source))
        return "; ".join(found) or "none"
    return parse


def counted(source):
    return source.take(source.varint())


def keyed(words, read):
    last = [0]
    def item(source):
        key = source.take(1)[0]
        if key not in words:
            raise Refused("unknown word")
        return words[key] + " " + read(source)
    return items(item)


def end_of_log(source):
    return "%d, %d live, digest %s" % (source.varint(), source.varint(), source.take(16).hex())


def column(read, deltas=False, start=0):
    def parse(data, context):
        source, values = Bytes(data), []
        value = context["first"] if start == "first" else 0
        while source.left():
            step = read(source)
            value = value + step if deltas else step
            values.append(str(value))
        return " ".join(values)
    return parse


def octets(data, _):
    return " ".join(str(byte) for byte in data)


def dot(source):
    return "store %d edit %d" % (source.varint(), source.varint())


def seen(source):
    return ", ".join(dot(source) for _ in range(source.varint())) or "nothing"


def stamp(source):
    time = source.signed()
    return "at %d by %s" % (time, dot(source))


def version(data):
    source, words, number = Bytes(data), [], 0
    words.append("%s, which had seen %s" % (dot(source), seen(source)))
    while source.left():
        number += source.varint()
        when, size = stamp(source), source.varint()
        words.append("field %d %s = %s" % (number, when, repr(source.take(size - 1)) if size else "taken away"))
    return "; ".join(words)


def states(data, context):
    """Records of a sync: length, step of the sequence number, id, then a map."""
    source, found, sequence = Bytes(data), [], context["first"]
    while source.left():
        entry = Bytes(counted(source))
        sequence += entry.varint()
        words, last = ["%d: %s" % (sequence, entry.take(16).hex())], 0
        while entry.left():
            number, value = entry.varint(), Bytes(counted(entry))
            if number <= last:
                raise Refused("fields do not ascend")
            last = number
            if number == 2:
                words.append("seen " + seen(value))
            elif number == 4:
                words.append("newest %d" % value.signed())
            elif number == 6:
                words.append("grave %s, parent %s" % (stamp(value), value.take(16).hex()))
            elif number == 8:
                while value.left():
                    words.append("version [" + version(counted(value)) + "]")
            elif number % 2 == 0:
                raise Refused("unknown even field")
            value.end()
        found.append("; ".join(words))
    return " | ".join(found) or "none"


def rules(data, context):
    source, found, sequence = Bytes(data), [], context["first"]
    while source.left():
        sequence += source.varint()
        scope = {0: "all", 1: "host", 2: "url"}[source.take(1)[0]]
        found.append("%d: %s %r from %d to %d" % (
            sequence, scope, counted(source).decode("utf-8"), source.signed(), source.signed()))
    return "; ".join(found) or "none"


varints, deltas = column(Bytes.varint), column(Bytes.signed, True)
texts = items(lambda source: repr(counted(source).decode("utf-8")))
pairs = items(lambda source: "%r = %r" % (counted(source).decode("utf-8"), counted(source).decode("utf-8")))
ends = keyed(LOGS, end_of_log)
cursors = keyed(LOGS, lambda source: str(source.varint()))
flag = word({1: "yes"})
id16 = exactly(16)


class Map:
    """A map within a map; its fields are dissected on lines of their own."""
    def __init__(self, fields):
        self.fields = fields


class Maps(Map):
    """Maps one after the other, each with its length before it; `stepped`: a row's distance before that."""
    def __init__(self, fields, stepped=False):
        self.fields, self.stepped = fields, stepped


ORIGIN = {61: ("profile", text), 63: ("application", Map({2: ("id", text), 4: ("name", text)}))}
ID = {2: ("id", id16)}
BOOKMARK = ID | {
    4: ("kind", word({1: "bookmark", 2: "folder", 3: "separator"})), 6: ("parent", id16), 8: ("position", number),
    10: ("title", text), 12: ("url", text), 13: ("date_added", signed), 15: ("date_modified", signed),
    17: ("tags", texts), 19: ("keyword", text), 21: ("post_data", text), 23: ("description", text),
    25: ("charset", text), 27: ("icon", text), 29: ("icon_uri", text), 31: ("last_visited_at", signed),
    33: ("guid", text), 35: ("attributes", pairs)} | ORIGIN
READING = ID | {
    4: ("title", text), 6: ("url", text), 13: ("date_added", signed), 15: ("last_visited_at", signed),
    17: ("read", number), 19: ("preview", text)} | ORIGIN
EXTENSION = ID | {
    4: ("name", text), 6: ("identifier", text), 13: ("developer", text), 15: ("store_identifier", text),
    17: ("store", text), 19: ("version", text), 21: ("enabled", number), 23: ("homepage", text),
    25: ("ios_extension_bundle_identifier", text), 27: ("ios_app_bundle_identifier", text),
    29: ("macos_extension_bundle_identifier", text), 31: ("macos_app_bundle_identifier", text)} | ORIGIN
LOGIN = ID | {
    4: ("url", text), 6: ("username", text), 8: ("password", text), 13: ("title", text), 15: ("notes", text),
    17: ("otpauth", text), 19: ("urls", texts), 21: ("http_realm", text), 23: ("form_action", text),
    25: ("date_created", signed), 27: ("date_last_used", signed), 29: ("date_password_changed", signed),
    31: ("times_used", number), 33: ("occurrence", number), 35: ("guid", text)} | ORIGIN
CARD = ID | {
    4: ("number", text), 13: ("name", text), 15: ("holder", text), 17: ("expiration_month", number),
    19: ("expiration_year", number), 21: ("last_used_at", signed)} | ORIGIN
LINK = Map({2: ("url", text), 4: ("visited_at", signed)})
PAGES = {
    2: ("pages", number), 4: ("numbers", deltas), 6: ("sequence numbers", column(Bytes.signed, True, "first")),
    8: ("lengths of the addresses", varints), 10: ("lengths of the titles + 1, 0 for none", varints),
    12: ("text", text), 14: ("times of the titles", deltas), 16: ("former sequence numbers", varints)}
VISITS = {
    2: ("visits", number), 4: ("sequence numbers", column(Bytes.varint, True, "first")), 6: ("pages", deltas),
    8: ("times", deltas), 10: ("transitions", octets), 12: ("flags", octets), 14: ("links", varints),
    16: ("pages of far links, less the visit's", column(Bytes.signed)), 18: ("time since the far links", column(Bytes.signed)),
    20: ("occurrences", varints), 22: ("profiles", texts), 24: ("profile of each", varints),
    26: ("former sequence numbers", varints),
    28: ("attributes", Maps({3: ("visit_count", number), 5: ("redirect_destination", LINK), 7: ("referrer", LINK)}, True))}


# An app's files: a list of maps with one field each.
ENTRY = Map({2: ("path", text), 4: ("kind", word({1: "file", 2: "folder", 3: "link"})), 6: ("size", number),
             8: ("mode", lambda data, _: "0o%o" % int(number(data, _))), 10: ("changed at", signed),
             11: ("target", text)})
PIECE = {2: ("entry", ENTRY), 4: ("bytes", raw), 6: ("zeros", number), 8: ("digest", exactly(32)),
         10: ("abandoned", number)}
NOTE = Map({2: ("application", text), 4: ("version", text), 6: ("platform", text), 7: ("compressible", flag)})


def batch(kind):
    records = Maps({2: ("sequence number, less the one before", number), 4: ("former sequence number", number),
                    6: ("deleted id", id16), 8: ("record", Map(kind))})
    return {2: ("number of the batch", number), 4: ("log", word(LOGS)), 6: ("first", number), 8: ("last", number),
            10: ("records", records), 12: ("pages", Map(PAGES)), 14: ("visits", Map(VISITS)), 16: ("pieces", Maps(PIECE))}


def rows():
    fields = batch({})
    del fields[10], fields[16]
    return fields | {3: ("of a sync", flag), 16: ("stores", items(lambda s: s.take(16).hex())), 18: ("records", states),
                     20: ("rules", rules)}


KINDS = {1: BOOKMARK, 2: READING, 3: EXTENSION, 4: LOGIN, 5: CARD, 6: {}, 7: {}, 8: {}}
SIX = ("found", "added", "changed", "unchanged", "skipped", "conflicts")
MESSAGES = {
    1: ("PING", {2: ("bytes", exactly(8))}), 3: ("PONG", {2: ("bytes", exactly(8))}),
    2: ("HELLO", {2: ("oldest version", number), 4: ("newest version", number),
                  6: ("role", word({1: "export", 2: "import", 3: "sync"})), 8: ("nonce", id16),
                  9: ("features", number), 11: ("token", id16)}),
    4: ("PAIR_SHARE", {2: ("share", exactly(32)), 4: ("associated data", raw), 6: ("means", word({1: "digits", 2: "QR code"}))}),
    6: ("PAIR_CONFIRM", {2: ("tag", exactly(64))}),
    7: ("INFO", {2: ("name", text), 4: ("software", text), 6: ("clock", signed),
                 7: ("port", number)}),
    8: ("PAIRED", {2: ("mode", word({1: "session", 2: "persistent"})), 3: ("token", id16)}),
    10: ("ERROR", {2: ("code", number), 3: ("may retry", flag), 5: ("text", text), 7: ("bytes needed", number),
                   9: ("log", word(LOGS)), 11: ("incarnation", id16)}),
    12: ("CLOSE", {2: ("reason, 0 when done", number)}),
    16: ("OFFER", {2: ("incarnation", id16), 4: ("supported", bits(TYPES)),
                   6: ("items", Maps({2: ("type", word(TYPES)), 4: ("records", number), 6: ("bytes", number), 7: ("newest", signed)})),
                   9: ("profiles", texts), 11: ("files of an app", NOTE)}),
    18: ("CHOOSE", {2: ("types", bits(TYPES)), 3: ("secrets", flag), 5: ("profiles", pairs)}),
    20: ("ACCEPT", {2: ("types", bits(TYPES)), 3: ("secrets", flag), 4: ("incarnation", id16)}),
    22: ("RESUME", {2: ("cursors", cursors), 3: ("incarnation", id16)}),
    24: ("BATCH", {}),
    26: ("ACK", {2: ("log", word(LOGS)), 4: ("last", number), 6: ("applied", number), 8: ("skipped", number)}),
    28: ("END", {2: ("ends", ends)}),
    36: ("CAUGHT_UP", {2: ("sequence", number), 4: ("heard", number),
                       6: ("digests", keyed(TYPES, lambda s: s.take(16).hex()))}),
    30: ("DONE", {2: ("figures", keyed(TYPES, lambda s: ", ".join("%s %d" % (w, s.varint()) for w in SIX))), 4: ("ends", ends)}),
    32: ("CANCEL", {2: ("reason", word({1: "person", 2: "safety stop", 3: "expired"}))}),
    34: ("SYNC_OPEN", {2: ("incarnation", id16), 4: ("counter", number), 6: ("sequence", number),
                       8: ("sends", bits(TYPES)), 10: ("takes", bits(TYPES)),
                       12: ("knows", items(lambda s: "%s up to %d" % (s.take(16).hex(), s.varint()))),
                       14: ("cursors", cursors), 15: ("cursors about", id16), 17: ("whole", bits(LOGS)),
                       19: ("unsent", bits(LOGS))}),
    40: ("UNPAIR", {}),
}


def fields(data, schema, lines, indent, context):
    source, last = Bytes(data), 0
    while source.left():
        start = source.at
        kind = source.varint()
        if kind <= last:
            raise Refused("fields do not ascend")
        last = kind
        size = source.varint()
        head = source.data[start:source.at]
        value = source.take(size)
        name, how = schema.get(kind, ("unknown, kept", raw))
        if kind not in schema and kind % 2 == 0:
            raise Refused("unknown even field")
        label = "  " * indent + "field %d: %s" % (kind, name)
        if isinstance(how, Maps):
            lines.append((head.hex(), label))
            inner = Bytes(value)
            while inner.left():
                start = inner.at
                step = "%d rows on, " % inner.varint() if how.stepped else ""
                size = inner.varint()
                lines.append((inner.data[start:inner.at].hex(), "  " * indent + "  %s%d bytes" % (step, size)))
                fields(inner.take(size), how.fields, lines, indent + 2, context)
        elif isinstance(how, Map):
            lines.append((head.hex(), label))
            fields(value, how.fields, lines, indent + 1, context)
        else:
            words = how(value, context)
            if name == "first":
                context["first"] = int(words)
            lines.append((head.hex() + value.hex(), label + " = " + words))


def dissect(data):
    source, lines = Bytes(data), []
    length = int.from_bytes(source.take(4), "big")
    lines.append((source.data[:4].hex(), "length %d" % length))
    kind = int.from_bytes(source.take(2), "big")
    name, schema = MESSAGES[kind]
    lines.append((source.data[4:6].hex(), name))
    flags = source.take(1)[0]
    lines.append(("%02x" % flags, "compressed" if flags else "not compressed"))
    payload = source.take(length - 3)
    source.end()
    if flags:
        lines.append((payload.hex(), "one zstd frame"))
        return lines
    if kind == 24:
        log = payload[payload.index(b"\x04\x01") + 2]
        schema = rows() if b"\x03\x01\x01" in payload[:16] else batch(KINDS[log])
    fields(payload, schema, lines, 0, {"first": 0})
    return lines


def written(name, data):
    lines = dissect(data)
    return ["== " + name] + [("%s ; %s" % line).rstrip() for line in lines] + [""]


def check(path):
    blocks, name = {}, None
    for line in open(path, encoding="utf-8").read().split("\n"):
        if line.startswith("== "):
            name = line[3:]
            blocks[name] = []
        elif line and not line.startswith("#"):
            blocks[name].append(line)
    faults = 0
    for name, lines in blocks.items():
        data = bytes.fromhex("".join(line.split(";")[0] for line in lines))
        if written(name, data)[1:-1] != lines:
            print("%s: %s: the words are not what the bytes say" % (path, name))
            faults += 1
    return len(blocks), faults


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        for name, data in zip(sys.argv[2::2], sys.argv[3::2]):
            print("\n".join(written(name, bytes.fromhex(data))))
        sys.exit(0)
    results = [check(path) for path in sys.argv[1:]]
    print("%d vectors" % sum(count for count, _ in results))
    sys.exit(1 if any(faults for _, faults in results) or not results else 0)
