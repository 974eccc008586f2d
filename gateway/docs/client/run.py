"""Runs heartwheel.py as `loadgen conform` wants it: lines of standard input go out, messages come out as lines."""
import os
import sys
import threading

sys.dont_write_bytecode = True      # leave no __pycache__ among the documentation
from heartwheel import Client, ComeNoMore  # noqa: E402


def log(line):
    print("heartwheel.py: " + line, file=sys.stderr, flush=True)


def hand_on(message):
    text = message if isinstance(message, str) else message.decode(errors="replace")
    os.write(1, (text + "\n").encode())


def read_lines():
    rest, chunk = b"", b"-"
    while chunk:
        chunk = os.read(0, 1 << 16)     # not sys.stdin: its lock would be held when the process ends
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines if chunk else [rest] if rest else []:
            try:
                client.send(line.decode(), wait=True)
            except ValueError as error:
                log("line not sent: %s" % error)
            except (RuntimeError, ComeNoMore):
                return
    client.stop()


def token():
    if "HEARTWHEEL_TOKEN_FILE" not in env:
        return env.get("HEARTWHEEL_TOKEN", "")
    with open(env["HEARTWHEEL_TOKEN_FILE"], encoding="utf-8") as file:
        return file.read().strip()


env = os.environ
client = Client(env["HEARTWHEEL_URL"], env["HEARTWHEEL_DEVICE"], hand_on, token=token,
                interval_ms=int(env.get("HEARTWHEEL_INTERVAL_MS", "0")), log=log)
threading.Thread(target=read_lines, daemon=True).start()
try:
    client.run()
except ComeNoMore as refused:
    log("not to come again: %s" % refused)
    sys.exit(3)
