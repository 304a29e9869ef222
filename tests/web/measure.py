#!/usr/bin/python3
"""Measures the page in a headless browser and prints the results as JSON.

  tests/web/measure.py SITE [--only WORD] [--seconds S] > docs/benchmarks/web-page-MACHINE.json

SITE: build/web. Measures the time from opening the page to the first image, the time from a poke to its image, and for
every scene (--only: those whose names contain WORD), after its first seconds, the frames and steps per second compared
with the requested ones, and the pace that the page shows. A scene opens lighter where the page finds this machine too slow, as
for its users. Uses at most two processors.

A weaker device is a limit of their time, which the results name as `processor_time_per_second`. A quarter of two
processors, as root (version 1 of Linux's control groups):

  mkdir /sys/fs/cgroup/cpu/quarter && cd /sys/fs/cgroup/cpu/quarter
  echo 100000 > cpu.cfs_period_us && echo 50000 > cpu.cfs_quota_us && echo $$ > tasks
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

from browser import Browser
from host import Site

openings, pokes = 9, 40
# A fraction of the target that counts as reached: images arrive 60 times per second as the browser counts them.
held = 0.97
true_within = 0.1  # relative to the number measured over the same seconds

# Runs before the page's own modules: the time of the first image on a canvas, from the request of the page.
notes_first_picture = """
const put = CanvasRenderingContext2D.prototype.putImageData;
CanvasRenderingContext2D.prototype.putImageData = function (...all) {
  put.apply(this, all);
  if (this.canvas.id === "view") window.firstPicture ??= performance.now();
};
"""


def processor_time_per_second():
    """Seconds of processor time that two busy processes are given in a second: 2, unless a limit is set."""
    busy = "import time; end = time.monotonic() + 2\nwhile time.monotonic() < end: pass\nprint(time.process_time() / 2)"
    both = [subprocess.Popen([sys.executable, "-c", busy], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    return round(sum(float(one.communicate()[0]) for one in both), 2)


def first_pictures(site):
    """Milliseconds to a scene's first image: in new browsers, and when the page is opened again."""
    first, again = [], []
    for _ in range(openings):
        browser = Browser(site.address, scripts=[notes_first_picture])
        try:
            for found in (first, again):
                browser.go("#s=wave/double-slit")
                browser.wait("window.firstPicture", "a picture")
                found.append(browser.plain("return window.firstPicture"))
                browser.wait("navigator.serviceWorker.controller", "the service worker")
        finally:
            browser.close()
    return {"scene": "wave/double-slit", "first_visit_ms": summary(first), "later_ms": summary(again)}


def summary(numbers):
    ordered = sorted(numbers)
    return {"median": round(statistics.median(ordered), 1), "most": round(ordered[-1], 1), "count": len(ordered)}


def poke(browser):
    """Milliseconds from a press of the mouse until the view shows it, at a calm place of a running tank, and the number
    of images painted until then (including one that was under way when the mouse was pressed)."""
    browser.open_scene("wave/droplet", fresh=True)
    times, pictures = [], []
    x, y = (round(one) for one in browser.place(0.85, 0.85))
    browser.do("""
      const { on } = await load("run");
      const canvas = document.getElementById("view"), context = canvas.getContext("2d");
      window.poked = null;
      const colorAt = () => {
        const box = canvas.getBoundingClientRect(), scale = canvas.width / box.width;
        return context.getImageData(Math.round((given[0] - box.x) * scale), Math.round((given[1] - box.y) * scale), 1, 1)
          .data.join();
      };
      canvas.addEventListener("pointerdown", (event) => {
        window.poked = { since: event.timeStamp, before: colorAt(), pictures: 0, after: 0 };
      }, true);
      on("painted", () => {
        const one = window.poked;
        if (!one || one.after) return;
        one.pictures += 1;
        if (colorAt() !== one.before) one.after = performance.now() - one.since;
      });
    """, x, y)
    for k in range(pokes):
        browser.do("window.poked = null; await call('restart', {}); setPlaying(true); await settled();"
                   "await new Promise((done) => setTimeout(done, given[0]));", 7 * k % 17)
        for kind in ("mousePressed", "mouseReleased"):
            browser.command("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        found = browser.do("await until(() => window.poked?.after); return window.poked;")
        times.append(found["after"])
        pictures.append(found["pictures"])
    return {"scene": "wave/droplet", "ms": summary(times), "pictures": summary(pictures)}


def pace_of(browser, scene, seconds):
    browser.go(f"#s={scene}", fresh=False)
    browser.wait_for_scene(scene)
    return browser.do("""
      const { on } = await load("run");
      const wait = (s) => new Promise((done) => setTimeout(done, 1000 * s));
      window.pictures ??= (on("painted", () => window.count += 1), true);
      const text = (selector) => document.querySelector(selector)?.innerText.replace(/\\s+/g, " ").trim() ?? "";
      setPlaying(true);
      await wait(2);  // compiled by then, and kernels chosen
      window.count = 0;
      // Texts that are visible; hidden ones do not count. A displayed number is the mean of the half second before
      // it was written: it is compared with the measurement half a second earlier.
      const age = 500, shown = (selector) => (document.querySelector(selector)?.checkVisibility() ? text(selector) : "");
      const reached = [], pictures = [];
      const mark = async () => {
        const { steps } = await call("status");
        return { at: performance.now(), steps, pictures: window.count };
      };
      const watch = async (end) => {
        while (performance.now() < end) {
          await wait(0.1);
          const steps = /^([\\d.,\u202f ]+) per second reached/.exec(shown(".clock .throttled")),
            fps = /([\\d.,]+) fps/.exec(shown(".status"));
          if (steps) reached.push(Number(steps[1].replace(/[^\\d.]/g, "")));
          if (fps) pictures.push(Number(fps[1]));
        }
      };
      const early = await mark();
      await wait(age / 1000);
      const begun = await mark(), end = begun.at + 1000 * given[0];
      await watch(end - age);
      const late = await mark();
      await watch(end);
      const ended = await mark(), says = [shown(".clock .throttled"), shown(".status")].filter(Boolean);
      const silent = document.querySelector(".stop-message[role=status]:not([hidden])");
      if (silent) says.push(silent.innerText);
      const rate = (name, from, to) => 1000 * (to[name] - from[name]) / (to.at - from.at);
      const mean = (all) => (all.length ? all.reduce((a, b) => a + b) / all.length : null);
      const { scene: opened } = await call("scene", {});
      return { opened, says_steps: mean(reached), says_pictures: mean(pictures), takes_long: Boolean(silent),
        pictures_said_of: rate("pictures", early, late), steps_said_of: rate("steps", early, late),
        pictures_per_second: rate("pictures", begun, ended), steps_per_second: rate("steps", begun, ended),
        asked_per_second: pace.rate, says, stopped: run.status.stop_reason };
    """, seconds)


def every_scene(browser, word, seconds):
    browser.open()
    scenes = browser.do("return run.catalog.simulations.flatMap((one) => one.presets.map((preset) => preset.scene));")
    rows = []
    for scene in scenes:
        if word not in scene:
            continue
        found = pace_of(browser, scene, seconds)
        row = {"scene": scene, "opened": found["opened"], **{key: round(found[key], 1) for key in found if key.endswith("_second")}}
        pictures, steps, wanted = (row[f"{one}_per_second"] for one in ("pictures", "steps", "asked"))
        row["held"] = pictures >= held * 60 and steps >= held * wanted
        # A target that is missed is reported correctly: the page shows a number, and it is the measured one.
        true = lambda said, number: said is not None and abs(said - number) <= true_within * number + 1
        row["told"] = found["takes_long"] or ((pictures >= held * 60 or true(found["says_pictures"], found["pictures_said_of"]))
                                              and (steps >= held * wanted or true(found["says_steps"], found["steps_said_of"])))
        row["says"] = found["says"]
        rows.append(row)
        print(json.dumps(row), file=sys.stderr, flush=True)
    return rows


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("site", type=pathlib.Path)
    options.add_argument("--only", default="")
    options.add_argument("--seconds", type=float, default=4)
    asked = options.parse_args()
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
    words = (line.partition(":")[2].strip() for line in open("/proc/cpuinfo", encoding="utf-8")
             if line.startswith("model name"))
    load, given = [os.getloadavg()[0]], processor_time_per_second()
    site = Site(asked.site)
    try:
        opened = first_pictures(site)
        browser = Browser(site.address, scripts=["window.opensLighter = true;"])
        try:
            version = browser.driver.capabilities["browserVersion"]
            poked = poke(browser)
            scenes = every_scene(browser, asked.only, asked.seconds)
        finally:
            browser.close()
    finally:
        site.close()
    load.append(os.getloadavg()[0])
    silent = [row["scene"] for row in scenes if not row["held"] and not row["told"]]
    print(json.dumps({"program": "perturb", "what": "web page", "device": next(words, "?"), "processors": 2,
                      "processor_time_per_second": given, "load": load,
                      "browser": f"chromium {version}, headless, 1280x720", "first_picture": opened, "poke": poked,
                      "scenes_held": sum(row["held"] for row in scenes), "scenes": scenes}, indent=2))
    if silent:
        sys.exit(f"Neither held nor said: {', '.join(silent)}")


if __name__ == "__main__":
    main()
