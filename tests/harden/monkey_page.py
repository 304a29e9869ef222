#!/usr/bin/python3
"""Random input in the page, in Chromium without a window: keys, taps, drags, sliders, lessons, ways back and forward.

  tests/harden/monkey_page.py [--web FOLDER] [--seconds S] [--seed N]

Ends with "monkey_page: N tried, M failed", and with 1 where M > 0. It fails where the page reports an error event, its
engine ends, its tab crashes, or neither the gallery nor a scene is shown any more. The last inputs before a failure are
printed; the same seed makes the same choices.
"""
import argparse
import pathlib
import random
import sys
import time

repository = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(repository / "tests/web"))
from selenium.common.exceptions import TimeoutException, WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from browser import Browser, Keys
from host import Site

MOST_FAILURES = 10
# Survives reloads of the page: records errors from all events that report them.
WATCH = """
const record = (message) => {
  try {
    const all = JSON.parse(sessionStorage.getItem("monkey") ?? "[]");
    sessionStorage.setItem("monkey", JSON.stringify([...all, message].slice(-20)));
  } catch {}
};
addEventListener("error", (event) => record(`error: ${event.message} ${event.filename ?? ""}:${event.lineno ?? ""}`));
addEventListener("unhandledrejection", (event) => record(`rejection: ${event.reason?.stack ?? event.reason}`));
const Own = window.Worker;
window.Worker = class extends Own {
  constructor(...given) {
    super(...given);
    this.addEventListener("error", (event) => record(`engine: ${event.message}`));
    this.addEventListener("message", ({ data }) => data?.error?.dead && record(`engine: ${data.error.message}`));
  }
};
// Nothing leaves the page: no file dialog, no endless film, no other site.
HTMLInputElement.prototype.showPicker = () => {};
const click = HTMLInputElement.prototype.click;
HTMLInputElement.prototype.click = function () { if (this.type !== "file") click.call(this); };
Element.prototype.requestFullscreen = async () => {};
window.open = () => null;
"""
KEYS = [Keys.SPACE, ".", "n", "r", "R", "+", "-", "u", "U", "1", "2", "3", "9", "c", "C", "h", "h", "m", "p", "[", "]",
        "g", "0",
        "d", "x", "e", "?", Keys.F4, Keys.TAB, Keys.TAB, Keys.ENTER, Keys.ESCAPE, Keys.ARROW_LEFT, Keys.ARROW_UP,
        Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.HOME, Keys.END, Keys.PAGE_UP, Keys.PAGE_DOWN, Keys.BACKSPACE]
CHORDS = [(Keys.CONTROL, "z"), (Keys.CONTROL, "y"), (Keys.CONTROL, "s"), (Keys.SHIFT, "r"), (Keys.SHIFT, Keys.TAB),
          (Keys.SHIFT, Keys.ARROW_UP), (Keys.CONTROL, Keys.ENTER), (Keys.ALT, Keys.ARROW_UP)]
TYPED = ["0", "1", "-1", "0,5", "1e-3", "1e300", "-1e300", "NaN", "", "abc", "20", "3.7", "1" * 400, "😀", "<b>"]
WORDS = ["slit", "heat", "wave light", "Wärme", "%", "\\", "zzz", ""]
SIZES = [(1280, 720, False), (360, 740, True), (320, 256, False), (740, 360, True), (640, 360, False), (1920, 1080,
                                                                                                        False)]
SLOW = ("fibers/",)  # a step takes seconds
VISIBLE = """
const inView = (one) => {
  const box = one.getBoundingClientRect();
  return box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth;
};
const all = [...document.querySelectorAll(arguments[0])].filter((one) => !one.disabled &&
  one.checkVisibility({ visibilityProperty: true }) && (!document.querySelector("dialog[open]") || one.closest("dialog[open]")));
const one = all[Math.floor(arguments[1] * all.length)];
if (!one) return null;
if (!inView(one)) one.scrollIntoView({ block: "center" });
const box = one.getBoundingClientRect();
return [box.left, box.top, box.width, box.height, (one.getAttribute("aria-label") ?? one.id ?? "") + " " +
  one.tagName + " " + (one.textContent ?? "").slice(0, 30)];
"""


class Monkey:
    def __init__(self, site, seed):
        self.site, self.choose, self.browser = site, random.Random(seed), None
        self.inputs, self.size, self.scenes, self.lessons = [], SIZES[0], ["wave/rain"], []
        self.start()

    def start(self):
        if self.browser:
            self.browser.close()
        self.browser = Browser(self.site.address, 1280, 720, scripts=(WATCH,),
                               options=("--autoplay-policy=no-user-gesture-required",))
        self.size = SIZES[0]
        self.browser.command("Browser.setDownloadBehavior", behavior="deny")
        self.browser.driver.set_page_load_timeout(60)
        self.browser.open_scene("wave/rain", fresh=True)
        catalog = self.browser.do("return [run.catalog.simulations.flatMap((one) => one.presets.map((preset) => preset.scene)), "
                                  "run.catalog.lessons.map((one) => one.path)];")
        self.scenes = [scene for scene in catalog[0] if not scene.startswith(SLOW)]
        self.lessons = [lesson for lesson in catalog[1] if not lesson.startswith(SLOW)]

    # ---- inputs: each returns its description

    def box(self, selector):
        return self.browser.plain(VISIBLE, selector, self.choose.random())

    def point_in(self, box):
        share = self.choose.random
        return [min(self.size[0] - 2, max(1, box[0] + share() * box[2])), min(self.size[1] - 2,
                                                                              max(1, box[1] + share() * box[3]))]

    def key(self):
        key = self.choose.choice(KEYS)
        self.browser.keys(key)
        return f"key {key!r}"

    def key_of_another_keyboard(self):
        key, code = self.choose.choice([("R", "KeyR"), ("к", "KeyR"), ("ы", "KeyS"), ("&", "Digit1"), ("Dead",
                                                                                                       "Quote")])
        held = self.choose.random() < 0.3
        self.browser.plain("(document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent('keydown', { key: arguments[0],"
                           " code: arguments[1], ctrlKey: arguments[2], bubbles: true, cancelable: true }))", key,
                           code, held)
        return f"key {key} of {code}, Ctrl {held}"

    def chord(self):
        modifier, key = self.choose.choice(CHORDS)
        self.browser.chord(modifier, key)
        return f"chord {modifier!r} {key!r}"

    def drag_on_picture(self):
        box = self.box("#picture")
        if not box:
            return "no picture"
        points = [self.point_in(box) for _ in range(self.choose.choice([1, 2, 4]))]
        button = self.choose.choice([0, 0, 0, 2, 1])
        if self.size[2]:
            self.browser.touch_along(points) if len(points) > 1 else self.browser.touch(*points[0])
        else:
            self.browser.drag(points, button=button)
        return f"drag {points} button {button}"

    def two_fingers(self):
        box = self.box("#picture")
        if not box:
            return "no picture"
        lanes = [[dict(zip("xy", self.point_in(box)), id=finger) for _ in range(4)] for finger in (0, 1)]
        send = lambda kind, points: self.browser.command("Input.dispatchTouchEvent", type=kind, touchPoints=points)
        send("touchStart", [lanes[0][0]])
        time.sleep(self.choose.choice([0, 0.1, 0.3]))
        send("touchStart", [lanes[0][0], lanes[1][0]])
        for first, second in zip(lanes[0][1:], lanes[1][1:]):
            send("touchMove", [first, second])
        send(self.choose.choice(["touchEnd", "touchCancel"]), [])
        return "two fingers"

    def wheel(self):
        box = self.box("#picture, #panel")
        if not box:
            return "nothing to scroll"
        x, y = self.point_in(box)
        turn = self.choose.choice([-3000, -120, 120, 3000])
        self.browser.command("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=turn,
                             modifiers=self.choose.choice([0, 0, 2]))
        return f"wheel {turn}"

    def press(self):
        box = self.box("button, a[href]:not([target]), select, summary, label.tool, label.segment, label.kernel, input:not([type=range])")
        if not box:
            return "nothing to press"
        self.browser.drag([self.point_in(box)])
        return f"press {box[4].strip()}"

    def slide(self):
        box = self.box("input[type=range]")
        if not box:
            return "no slider"
        points = [self.point_in(box) for _ in range(3)]
        self.browser.touch_along(points) if self.size[2] else self.browser.drag(points)
        return f"slide {box[4].strip()}"

    def choose_option(self):
        chosen = self.browser.plain("""
          const all = [...document.querySelectorAll("select")].filter((one) => !one.disabled && one.checkVisibility());
          const one = all[Math.floor(arguments[0] * all.length)];
          const option = one?.options[Math.floor(arguments[1] * one.options.length)];
          if (!option || option.value.startsWith("fibers/")) return "";
          one.value = option.value;
          one.dispatchEvent(new Event("change", { bubbles: true }));
          return option.value;
        """, self.choose.random(), self.choose.random())
        return f"choose {chosen}"

    def type_number(self):
        box = self.box("input.number, #lesson-answer, #search")
        text = self.choose.choice(TYPED + WORDS)
        if not box:
            return "nothing to type into"
        self.browser.drag([[box[0] + box[2] / 2, box[1] + box[3] / 2]])
        chain = ActionChains(self.browser.driver, duration=0)
        chain.key_down(Keys.CONTROL).send_keys("a").key_up(Keys.CONTROL).send_keys(text or Keys.BACKSPACE)
        chain.send_keys(self.choose.choice([Keys.ENTER, Keys.TAB, Keys.ESCAPE])).perform()
        return f"type {text[:20]!r}"

    def resize(self):
        self.size = self.choose.choice(SIZES)
        self.browser.resize(*self.size)
        return f"resize {self.size}"

    def go(self):
        way = self.choose.choice(["scene", "scene", "lesson", "gallery", "back", "forward", "reload", "bad"])
        scene, lesson = self.choose.choice(self.scenes), self.choose.choice(self.lessons or ["wave/two-slits"])
        bad = self.choose.choice(["#s=wave/nowhere", "#z=AAAA", "#l=x", "#q", "#s=%", "#file", "#verify"])
        if way == "reload":
            self.browser.driver.refresh()
        elif way in ("back", "forward"):
            self.browser.plain(f"history.{way}()")
        else:
            self.browser.plain("location.hash = arguments[0]", {"scene": f"#s={scene}", "lesson": f"#l={lesson}",
                                                                "gallery": "#scenes",
                                                               "bad": bad}[way])
        return f"go: {way} {scene if way == 'scene' else lesson if way == 'lesson' else bad if way == 'bad' else ''}"

    def answer(self):
        """The question of a lesson, as far as one is open; and on."""
        chosen = self.browser.plain("""
          const [share, text] = arguments, panel = document.getElementById("page-lesson");
          if (!panel?.checkVisibility()) return "no lesson";
          const choices = [...panel.querySelectorAll(".answer-choice")], input = panel.querySelector("#lesson-answer");
          if (choices.length && share < 0.7) {
            choices[Math.floor(share / 0.7 * choices.length)].click();
            return "a choice";
          }
          if (input && share < 0.7) {
            input.value = text;
            panel.querySelector("form").requestSubmit();
            return text;
          }
          const buttons = [...panel.querySelectorAll(".accent, .quiet")].filter((one) => !one.disabled && one.tagName === "BUTTON");
          buttons[Math.floor(share * buttons.length)]?.click();
          return "on or back";
        """, self.choose.random(), self.choose.choice(["20", "0.5", "0,5", "-3", "1e9", "x"]))
        return f"answer {chosen}"

    def take_lesson(self):
        """A lesson from its beginning: runs for a while, and is answered."""
        lesson = self.choose.choice(self.lessons or ["wave/two-slits"])
        self.browser.plain("document.querySelector('dialog[open]')?.close(); location.hash = arguments[0]",
                           f"#l={lesson}")
        end = time.monotonic() + 20
        while time.monotonic() < end and not self.browser.plain(
                "return document.getElementById('page-lesson')?.checkVisibility() && location.hash === arguments[0]",
                f"#l={lesson}"):
            time.sleep(0.1)
        time.sleep(self.choose.choice([0, 1, 3]))
        return f"lesson {lesson}, {self.answer()}"

    def wait(self):
        seconds = self.choose.choice([0.05, 0.3, 1])
        time.sleep(seconds)
        return f"wait {seconds}"

    def input(self):
        kinds = {self.drag_on_picture: 5, self.key: 5, self.press: 5, self.slide: 3, self.chord: 2, self.go: 2,
                 self.type_number: 2, self.answer: 3, self.take_lesson: 1, self.two_fingers: 1, self.wheel: 1,
                 self.choose_option: 1, self.key_of_another_keyboard: 1, self.resize: 0.5, self.wait: 1}
        return self.choose.choices(list(kinds), list(kinds.values()))[0]()

    # ---- invariants

    def problem(self):
        """Words, or an empty text. A page that loads is waited for."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            page, failed, chosen = self.browser.plain("""
              const told = JSON.parse(sessionStorage.getItem("monkey") ?? "[]");
              sessionStorage.removeItem("monkey");
              return [document.documentElement?.dataset.page ?? "", document.querySelector(".failed")?.innerText ?? "", told];
            """)
            if chosen:
                return "; ".join(chosen)
            if failed:
                return f"the page says: {failed}"
            if page in ("gallery", "run"):
                return ""
            if not self.browser.driver.current_url.startswith(self.site.address):
                self.browser.driver.get(f"{self.site.address}#scenes")  # back from the first page of the history
            time.sleep(0.05)
        return "neither the gallery nor a scene is shown"

    def try_once(self):
        try:
            self.inputs.append(self.input())
            return self.problem()
        except TimeoutException as error:
            return f"the page does not answer: {error.msg}"
        except WebDriverException as error:
            if "stale element" in (error.msg or "") or "out of bounds" in (error.msg or ""):
                return ""
            return f"the tab: {(error.msg or '').splitlines()[0]}"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--web", type=pathlib.Path, default=repository / "build/web")
    options.add_argument("--seconds", type=float, default=60)
    options.add_argument("--seed", type=int, default=1)
    asked = options.parse_args()
    if not (asked.web / "index.html").is_file():
        sys.exit(f"Cannot try the page: {asked.web} holds none. Make it with scripts/web --build.")
    site = Site(asked.web)
    monkey, tried, failed = Monkey(site, asked.seed), 0, 0
    end = time.monotonic() + asked.seconds
    try:
        while time.monotonic() < end and failed < MOST_FAILURES:
            tried += 1
            if problem := monkey.try_once():
                failed += 1
                print(f"input {tried} of seed {asked.seed}: {problem}\n  after: " + "\n         ".join(monkey.inputs[-12:]), flush=True)
                monkey.start()
                monkey.inputs.append("(a new browser)")
    finally:
        monkey.browser.close()
        site.close()
    print(f"monkey_page: {tried} tried, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
