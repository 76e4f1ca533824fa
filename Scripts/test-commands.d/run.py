"""Runs the suites of this folder, several tests at a time: most of them wait for something."""

import argparse
import concurrent.futures
import pathlib
import signal
import sys
import time
import unittest

FOLDER = pathlib.Path(__file__).parent

# Whoever runs the tests below nohup does not mean the programs that they start.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def cases(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from cases(item)
        else:
            yield item


def run(case):
    result = unittest.TestResult()
    began = time.monotonic()
    case.run(result)
    return case, result, time.monotonic() - began


def main():
    options = argparse.ArgumentParser(prog="Scripts/test-commands")
    options.add_argument("-v", action="store_true", help="name each test")
    options.add_argument("-j", type=int, default=4, help="so many at a time")
    options.add_argument("names", nargs="*", help="only tests whose name holds one of these")
    options = options.parse_args()
    found = list(cases(unittest.defaultTestLoader.discover(FOLDER, pattern="test_*.py")))
    wanted = [case for case in found if not options.names or any(name in case.id() for name in options.names)]
    failed, skipped = [], []
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for case, result, seconds in pool.map(run, wanted):
            faults = [text for _, text in result.errors + result.failures]
            skipped += [f"{case.id()}: {reason}" for _, reason in result.skipped]
            if faults:
                failed.append(case.id())
                print(f"FAILED {case.id()} ({seconds:.1f} s)\n{''.join(faults)}", flush=True)
            elif options.v:
                print(f"ok     {case.id()} ({seconds:.1f} s)", flush=True)
    for reason in skipped:
        print(f"left out: {reason}")
    print(f"test-commands: {len(wanted)} tests, {len(failed)} failed, {len(skipped)} left out")
    return 1 if failed or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
