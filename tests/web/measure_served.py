#!/usr/bin/python3
"""Measures a served run in browsers: the time from a poke to its pixel, and prints it as JSON.

  tests/web/measure_served.py [--pokes N] [--clients N] > docs/benchmarks/serve-browsers-MACHINE.json

PERTURB: the program. One browser after the other shows wave/double-slit: Chromium by WebCodecs and by Media Source
Extensions, Firefox by Media Source Extensions. As many clients as a class has read the same and decode nothing. The
time begins with the event of the press in the page and ends after the canvas of the view was drawn with another colour
at that place. The display is not part of it.
"""
import argparse
import json
import os
import random
import selectors
import socket
import statistics
import sys
import threading
import time

from browser import Browser
from firefox import Firefox, plain_host
from served_browsers_test import PlainChromium
from served_run import ServedRun

place = (0.9, 0.1)  # of the view, where the water rests for a while after a restart
most = 10  # seconds until a poke counts as lost

# Notes the next press on the view and the first image that shows it.
watch = """
const { on } = await load("run");
const canvas = document.getElementById("view"), context = canvas.getContext("2d", { willReadFrequently: true });
const color = () => context.getImageData(Math.round(given[0][0] * canvas.width), Math.round(given[0][1] * canvas.height),
  1, 1).data;
window.poked = null;
canvas.addEventListener("pointerdown", (event) => (window.poked = { since: event.timeStamp, before: color() }), true);
on("painted", () => {
  const one = window.poked;
  if (one && !one.after && color().some((value, k) => Math.abs(value - one.before[k]) > 10))
    one.after = performance.now() - one.since;
});
"""


class Audience(threading.Thread):
    """A teacher, and clients that take the video and throw it away."""

    def __init__(self, served, count):
        super().__init__(daemon=True)
        self.port = int(served.link.partition("/join")[0].rpartition(":")[2])
        self.sockets, self.bytes, self.ends = selectors.DefaultSelector(), 0, False
        for k in range(count):
            self.enter(served.link, f"Client {k}", "mse")
        self.teacher = self.enter(served.teacher_link, "", "none")

    def enter(self, link, name, video):
        body = json.dumps({"code": link.partition("#")[2], "name": name})
        head = self.ask(f"POST /join HTTP/1.1\r\nContent-Length: {len(body)}\r\n\r\n{body}")[1]
        cookie = head.partition("Set-Cookie: ")[2].partition(";")[0]
        one, head = self.ask("GET /run HTTP/1.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13"
                             f"\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nCookie: {cookie}\r\n\r\n")
        assert " 101 " in head, head
        self.call(one, "hello", {"video": video})
        self.sockets.register(one, selectors.EVENT_READ)
        return one

    def ask(self, request):
        one, head = socket.create_connection(("127.0.0.1", self.port)), b""
        one.sendall(request.replace("\r\n", f"\r\nHost: 127.0.0.1:{self.port}\r\n", 1).encode())
        while b"\r\n\r\n" not in head:
            head += one.recv(1)
        return one, head.decode()

    def call(self, one, name, args):
        text = json.dumps({"id": 1, "call": name, "with": args}).encode()
        one.sendall(bytes([0x81, 0x80 | len(text)]) + bytes(4) + text)  # masked by zero

    def run(self):
        said = time.monotonic()
        while not self.ends:
            for key, _ in self.sockets.select(0.1):
                self.bytes += len(key.fileobj.recv(1 << 18))
            if time.monotonic() - said > 10:  # in place of answers to pings
                said = time.monotonic()
                for key in list(self.sockets.get_map().values()):
                    self.call(key.fileobj, "watch", {})


def poke(browser, audience):
    """Milliseconds from a press to its pixel; None: it was not seen."""
    audience.call(audience.teacher, "restart", {})
    time.sleep(random.uniform(0.3, 0.5))
    x, y = browser.do("const box = document.getElementById('view').getBoundingClientRect(); window.poked = null;"
                      "return [box.left + given[0][0] * box.width, box.top + given[0][1] * box.height];", place)
    browser.drag([(x, y), (x, y)])
    end = time.monotonic() + most
    while time.monotonic() < end:
        if after := browser.plain("return window.poked?.after"):
            return after
        time.sleep(0.02)
    return None


def summary(times):
    seen = sorted(one for one in times if one is not None)
    return {"poke_median_ms": round(statistics.median(seen), 1), "poke_95_ms": round(seen[int(0.95 * len(seen))], 1),
            "pokes": len(seen), "lost_pokes": len(times) - len(seen)}


def measure(kind, host, asked):
    served = ServedRun()
    try:
        audience = Audience(served, asked.clients)
        audience.start()
        browser = served.open_pupil(kind=kind, host=host)
        browser.do(watch, place)
        poke(browser, audience)
        begun, before, load = time.monotonic(), audience.bytes, os.getloadavg()[0]
        times = [poke(browser, audience) for _ in range(asked.pokes)]
        rate = (audience.bytes - before) / (time.monotonic() - begun) / max(1, asked.clients)
        audience.ends = True
        audience.join()
        seen = sorted(one for one in times if one is not None)
        return {"browser": browser.driver.capabilities["browserName"],
                "version": browser.driver.capabilities["browserVersion"],
                "video": browser.plain("return window.askedVideo"), "poke_median_ms": round(statistics.median(seen), 1),
                "poke_95_ms": round(seen[int(0.95 * len(seen))], 1), "pokes": len(times),
                "lost_pokes": len(times) - len(seen), "bytes_per_second": round(rate), "load": [load, os.getloadavg()[0]]}
    finally:
        served.close()


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pokes", type=int, default=30)
    options.add_argument("--clients", type=int, default=29, help="beside the browser")
    asked = options.parse_args()
    names = (line.partition(":")[2].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
             if line.startswith("model name"))
    found = []
    for kind, host in ((Browser, "127.0.0.1"), (PlainChromium, plain_host), (Firefox, plain_host)):
        found.append(measure(kind, host, asked))
        print(found[-1], file=sys.stderr, flush=True)
    print(json.dumps({"program": "perturb", "what": "served run in browsers", "device": next(names, "?"),
                      "processors": os.cpu_count(), "date": time.strftime("%Y-%m-%d"), "scene": "wave/double-slit",
                      "clients": asked.clients + 1, "browsers": found}, indent=2))


if __name__ == "__main__":
    main()
