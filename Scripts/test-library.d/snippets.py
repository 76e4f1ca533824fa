#!/usr/bin/env python3
"""Makes programs of the articles' code, exactly as it is printed there, and lets two of them meet.

  snippets.py write FOLDER     FOLDER/NAME/main.swift for each article, FOLDER/Package.swift as the first one has it
  snippets.py run FOLDER       runs the programs in FOLDER: the exporter sends to the importer
"""
import pathlib
import re
import subprocess
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARTICLES = {
    "TutorialExporter": "Sources/BrowserTransfer/BrowserTransfer.docc/AnExporterInFifteenMinutes.md",
    "TutorialImporter": "Sources/BrowserTransfer/BrowserTransfer.docc/AnImporter.md",
    "TutorialMigration": "Sources/AppMigration/AppMigration.docc/MigratingAnApp.md",
}


def blocks(article):
    return re.findall(r"^```swift\n(.*?)^```$", (ROOT / article).read_text(), re.M | re.S)


def write(folder):
    for name, article in ARTICLES.items():
        program = []
        for block in blocks(article):
            if block.startswith("// swift-tools-version"):
                (folder / "Package.swift").write_text(block.replace('path: "../wherry"', f'path: "{ROOT}"'))
            else:
                program.append(block)
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "main.swift").write_text("\n".join(program))


class Program:
    """A program of which the standard error is read while it runs."""

    def __init__(self, path):
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.said, self.changed = "", threading.Condition()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            part = self.process.stderr.read(1)
            with self.changed:
                self.said += part
                self.changed.notify_all()
                if not part:
                    return

    def type(self, question, answer):
        """Waits for a question, or for anything, and answers it."""
        with self.changed:
            if not self.changed.wait_for(lambda: re.search(question, self.said), timeout=60):
                sys.exit(f"test-library: no question like {question!r}: {self.said}")
            found = re.search(question, self.said)
        if answer is not None:
            self.process.stdin.write(answer + "\n")
            self.process.stdin.flush()
        return found

    def end(self):
        output = self.process.stdout.read()
        if self.process.wait(timeout=60) != 0:
            sys.exit(f"test-library: a program of the tutorial failed: {self.said}")
        return output


def run(folder):
    exporter, importer = Program(folder / "TutorialExporter"), Program(folder / "TutorialImporter")
    exporter.type(r"Which of them .*\? ", "")
    exporter.type(r"Code shown on the other device .*\? ", "")
    port = exporter.type(r"Listening on .*?:(\d+)[,.]", None).group(1)
    code = exporter.type(r"Code: ([\d ]+)", None).group(1).strip()
    importer.type(r"Code shown on the other device .*\? ", code)
    importer.type(r"Its address.*\? ", f"127.0.0.1:{port}")
    exporter.type(r"\[y/N\] ", "y")
    sent, received = exporter.end(), importer.end()
    assert sent == "Sent 3 bookmarks and 2 visits.\n", sent
    assert received.splitlines()[:3] == ["bookmark Mine", "bookmark Swift", "bookmark Debian"], received
    visits = ["visit https://www.debian.org/News/", "visit https://www.swift.org/blog/"]
    assert sorted(received.splitlines()[3:]) == visits, received
    told = subprocess.run([folder / "TutorialMigration"], capture_output=True, text=True)
    assert told.returncode == 0 and told.stdout == "", told


if __name__ == "__main__":
    {"write": write, "run": run}[sys.argv[1]](pathlib.Path(sys.argv[2]).resolve())
