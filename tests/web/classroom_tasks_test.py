"""The tasks of a lesson (docs/verification.md, "In the page") in a window and on a phone, each within its clicks."""
import pathlib
import re
import unittest

from browser import Keys
from page_test import PageTest

document = pathlib.Path(__file__).resolve().parents[2] / "docs/verification.md"


def table():
    """Most clicks and taps of each task, from the table of the document."""
    text = document.read_text(encoding="utf-8").split("### In the page", 1)[1].split("\n#", 1)[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]
    return {row[0]: (int(row[-2]), int(row[-1])) for row in rows if row[-1].isdigit()}


limits = table()
number = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"


def value_of(digits, exponent):
    """A number as the page writes it: 9.08×10⁻⁶."""
    return float(digits + "e" + (exponent.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")) or "0"))


# Pixel of the window at which a handle of an object is drawn, by the object's kind and the handle's label; the layout
# has come to rest by then.
handle_at = """
  const [kind, label] = given, view = document.getElementById("view");
  const place = async () => {
    await settled();
    await until(() => run.overlay?.width === view.clientWidth && run.overlay.height === view.clientHeight &&
      run.overlay.objects.some((one) => one.kind === kind));
    const handle = run.overlay.objects.find((one) => one.kind === kind).handles.find((one, i) =>
      (label ? one.label === label : i === 0));
    const box = view.getBoundingClientRect();
    return [box.left + handle.at[0], box.top + handle.at[1]];
  };
  let last = await place(), at = await place();
  while (Math.hypot(at[0] - last[0], at[1] - last[1]) > 1) [last, at] = [at, await place()];
  return at;
"""
# Ends of a slider that lies in the window, by its name.
slider_at = """
  const labels = [...document.querySelectorAll("#panel [role=tabpanel]:not([hidden]) label")];
  const slider = document.getElementById(labels.find((one) => one.textContent === given[0]).htmlFor);
  const isCovered = () => {
    const box = slider.getBoundingClientRect();
    return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2) !== slider;
  };
  if (isCovered()) slider.scrollIntoView({ block: "center" });
  if (isCovered()) slider.scrollIntoView({ block: "end" });
  await frame();
  if (isCovered()) throw new Error("the slider cannot be reached");
  const box = slider.getBoundingClientRect(), margin = box.height / 4;
  const share = (slider.value - slider.min) / (slider.max - slider.min);
  return [box.left + margin + share * (box.width - 2 * margin), box.top + box.height / 2, box.right - margin];
"""
reading = """
  const name = [...document.querySelectorAll(".readings dt")].find((one) => one.textContent === given[0]);
  if (!name) return ["", false];
  const box = name.nextSibling.getBoundingClientRect();
  return [name.nextSibling.textContent, box.top >= 0 && box.bottom <= innerHeight && box.height > 0];
"""


# Keeps the samples that the page plays.
LISTEN = """
window.heard = [];
const copy = AudioBuffer.prototype.copyToChannel;
AudioBuffer.prototype.copyToChannel = function (samples, ...rest) {
  heard.push({ samples: Float32Array.from(samples), rate: this.sampleRate });
  return copy.call(this, samples, ...rest);
};
"""
# The loudest sample, and the crossings of zero per second while there is sound.
tone_of_sound = """
  let loudest = 0, crossings = 0, ringing = 0, last = 0;
  for (const { samples, rate } of heard)
    for (const sample of samples) {
      loudest = Math.max(loudest, Math.abs(sample));
      crossings += sample * last < 0;
      ringing += (sample !== 0) / rate;
      last = sample;
    }
  return [loudest, crossings / 2 / ringing, ringing];
"""


class Tasks:
    """The tasks; a subclass has the size and says how to point."""
    simple = True
    scripts = (LISTEN,)

    def setUp(self):
        super().setUp()
        self.clicks = 0

    def task(self, name):
        self.name = name

    def end(self, messages=""):
        """`messages`: a pattern of the text that the page may show."""
        most = limits[self.name][1 if self.touch else 0]
        self.assertLessEqual(self.clicks, most, self.name)
        self.keep_screenshot(f"class-{self.browser.plain('return innerWidth')}-{self.name.split()[0].lower()}-"
            f"{self.name.split()[-1].lower()}")
        self.assertRegex(self.browser.messages(), f"^{messages}$")

    def open(self, scene):
        self.browser.open_scene(scene, fresh=True)
        # (A slow machine may not have measured the first numbers yet.)
        self.browser.do("await until(() => run.diagnostics && run.overlay);")

    def press(self, x, y):
        self.clicks += 1
        if self.touch:
            self.browser.touch(x, y)
        else:
            self.browser.drag([(x, y)])

    def drag(self, places, button=0):
        self.clicks += 1
        if self.touch:
            self.browser.touch_along(places)
        else:
            self.browser.drag(places, button=button)
        self.browser.rest()

    def press_button(self, selector):
        self.press(*self.browser.do("""
          const button = document.querySelector(given[0]);
          const isSeen = () => {
            const box = button.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
            return button.contains(document.elementFromPoint(x, y)) && [x, y];
          };
          if (!isSeen()) button.scrollIntoView({ block: "center" });
          await frame();
          return isSeen();
        """, selector))

    def select(self, kind):
        self.press(*self.browser.do(handle_at, kind, ""))
        self.browser.do("""
          if (!await until(() => document.querySelector("#page-physics .objects [aria-pressed=true]")))
            throw new Error("nothing is selected");
          await settled();
        """)

    def drag_handle(self, kind, label, dx, dy):
        x, y = self.browser.do(handle_at, kind, label)
        self.drag([(x + dx * k / 5, y + dy * k / 5) for k in range(6)])
        if not self.touch:  # (a busy browser may deliver the last move later)
            self.browser.do("""
              const box = document.getElementById("view").getBoundingClientRect();
              await until(() => run.pointer && Math.hypot(box.left + run.pointer.x - given[0],
                box.top + run.pointer.y - given[1]) < 2);
            """, round(x + dx), round(y + dy))
            self.browser.rest()

    def drag_slider(self, name, share):
        """Drags a slider by this share of its free way to the right."""
        x, y, end = self.browser.do(slider_at, name)
        self.drag([(x + (end - x) * share * k / 5, y) for k in range(6)])

    def key_or_button(self, key, selector):
        if self.touch:
            self.press_button(selector)
        else:
            self.browser.keys(key)

    def numbers(self, kind):
        return self.browser.do("return run.status.objects.find((one) => one.kind === given[0]).numbers", kind)

    def scalar(self, id_):
        return self.browser.do("return run.diagnostics.scalars.find((one) => one.id === given[0]).value", id_)

    def read(self, name):
        """Number of a reading that is on the screen."""
        text, is_seen = self.browser.do(reading, name)
        self.assertTrue(is_seen, f"the reading {name} is not on the screen")
        found = re.match(number, text)
        self.assertIsNotNone(found, text)
        return float(found.group(0))

    def theory(self):
        """Labels of theory over the view."""
        self.browser.do("await until(() => document.querySelector('.marks').getAttribute('aria-label'));")
        return self.browser.plain("return document.querySelector('.marks').getAttribute('aria-label')")

    def test_frequency_of_a_source(self):
        self.task("Change the frequency of a source")
        self.open("wave/double-slit")
        before = self.numbers("line-source")["frequency"]
        self.select("line-source")
        self.drag_slider("Frequency", 0.3)
        self.assertGreater(self.numbers("line-source")["frequency"], 1.05 * before)
        self.end()

    def test_distance_of_the_slits(self):
        self.task("Change the distance of the slits")
        self.open("wave/double-slit")
        before = self.numbers("slits")
        self.browser.pause()  # (the size of the view must not change: a slow machine shows its speed below it)
        self.select("slits")
        per_pixel = self.browser.do("""
          const low = 100, high = 200, { clientWidth: width, clientHeight: height } = document.getElementById("view");
          const place = async (y) => (await call("locate", { x: width / 2, y, width, height })).y;
          return (await place(low) - await place(high)) / (high - low) * run.status.domain[1];
        """)
        self.drag_handle("slits", "Distance", 0, -40)
        after = self.numbers("slits")
        # The handle is at the uppermost of two slits: half of the distance from the middle. (Both are lengths.)
        self.assertAlmostEqual(after["distance"] - before["distance"], 2 * 40 * per_pixel, delta=2.5 * per_pixel)
        self.assertEqual(after["width"], before["width"])
        self.end()

    def test_value_of_a_plot(self):
        self.task("Read a value from a plot")
        self.open("wave/double-slit")
        self.browser.step(2600)  # (the screen is bright after the waves have crossed the tank)
        self.key_or_button("m", "#tab-plots")
        self.browser.do("""
          await until(() => document.querySelector("#page-plots .plot canvas")?.clientHeight);
          document.querySelector("#page-plots .plot canvas").scrollIntoView({ block: "end" });
          await settled();
        """)
        x, y = self.browser.plain("""
          const box = document.querySelector("#page-plots .plot canvas").getBoundingClientRect();
          return [box.left + 0.6 * box.width, box.top + 0.5 * box.height];
        """)
        if self.touch:
            self.press(x, y)
        else:
            self.browser.drag([(x, y)])  # (the pointer is moved there; a press has no effect)
        shown = self.browser.do("""
          const { tr } = await load("i18n"), plot = document.querySelector("#page-plots .plot");
          await until(() => plot.dataset.value);
          const curve = run.diagnostics.curves.find((one) => tr(one.label) === plot.querySelector("h3").textContent);
          return [plot.dataset.value, curve.points];
        """)
        values = [value_of(*parts) for parts in re.findall(rf": ({number})(?:×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+))?", shown[0])]
        self.assertGreaterEqual(len(values), 2, shown[0])
        nearest = min(shown[1], key=lambda point: abs(point[0] - values[0]))
        self.assertAlmostEqual(nearest[0], values[0], delta=1e-3 * abs(nearest[0]))
        self.assertAlmostEqual(nearest[1], values[1], delta=1e-3 * abs(nearest[1]))
        self.assertGreater(nearest[1], 0)
        self.end()

    def test_temperature_of_a_gas(self):
        self.task("Find the temperature of a gas")
        self.open("particles/gas")
        self.browser.pause()
        self.assertAlmostEqual(self.read("Temperature"), self.scalar("temperature"),
            delta=1e-3 * self.scalar("temperature"))
        self.end()

    def test_sound_of_a_drum(self):
        self.task("Hear a drum")
        self.open("membrane/struck")
        self.press_button("[aria-controls=bar-menu]")
        self.press_button(".instrument-buttons [data-kind=probe]")
        button = ".instruments-panel .rows button"
        self.browser.do("if (!await until(() => document.querySelector(given[0])?.checkVisibility())) "
            "throw new Error('the probe has no settings');", button)
        self.assertEqual(self.browser.find(button).text, "Play sound")
        self.press_button(button)
        self.assertTrue(self.browser.do("return until(() => document.querySelector(given[0]).textContent === "
            "'Stop sound');", button))
        before = self.browser.do("await settled(); return run.status.events")
        self.press(*self.browser.place(0.65, 0.7))
        self.assertTrue(self.browser.do("return until(() => run.status.events > given[0]);", before), "no strike")
        # The dominant frequency becomes 440 Hz; others are audible too. A slow run leaves gaps.
        self.assertTrue(self.browser.do(f"return until(() => (() => {{ {tone_of_sound} }})()[2] > 0.5);"), "no sound")
        loudest, frequency, _ = self.browser.do(tone_of_sound)
        self.assertGreater(loudest, 0.1)
        self.assertGreater(frequency, 60)
        self.assertLess(frequency, 4000)
        self.browser.pause()
        self.end()

    def test_fibers_sink(self):
        self.task("See fibers sink within a minute")
        self.open("fibers/cloud")
        self.browser.do("await until(() => run.diagnostics.step >= 2);")
        self.browser.pause()
        self.assertGreater(self.read("Core's fall"), 0)
        self.end(r"(Number of fibers: \d+ of \d+, as many as this computer can run smoothly\.)?")

    def test_wall_in_the_vortex_street(self):
        self.task("Draw a wall into the vortex street; the flow goes on")
        self.open("lbm/cylinder")
        if self.touch:
            self.press_button(".tool.opposite input")
        self.drag([self.browser.place(0.6, 0.35 + 0.06 * k) for k in range(6)], button=2)
        drawn = self.browser.do("return (await call('scene')).actions ?? []")
        self.assertTrue([one for one in drawn if "wall" in one["kind"]], drawn)
        begun = self.browser.steps()
        self.browser.step(400)
        self.assertGreaterEqual(self.browser.steps(), begun + 400)
        self.assertEqual(self.browser.do("return run.status.stop_reason"), "")
        self.end()

    def test_angle_of_refraction(self):
        self.task("Read the angle of refraction")
        self.open("wave/refraction")
        self.key_or_button("t", ".transport .toggle")
        self.assertRegex(self.theory(), r"\d°")
        self.end()

    def test_focal_length_of_a_lens(self):
        self.task("Find the focal length of a lens, and change it")
        self.open("wave/lens")
        self.key_or_button("t", ".transport .toggle")
        self.assertRegex(self.theory(), r"[Ff]ocal|[Ff]ocus")
        focus = """
          await settled();
          return (await call("look")).scalars.find((one) => one.id === "focus_theory").value;
        """
        before = self.browser.do(focus)
        self.select("lens")
        self.drag_handle("lens", "Half width", 12, 0)
        self.assertNotAlmostEqual(self.browser.do(focus), before, delta=0.02 * abs(before))
        self.end()

    def test_lift_of_a_wing(self):
        self.task("Turn a wing and read its lift")
        self.open("lbm/airfoil")
        before = self.numbers("wall-airfoil")["angle"]
        self.select("wall-airfoil")
        self.drag_handle("wall-airfoil", "Chord and angle", 0, 20)
        self.assertGreater(abs(self.numbers("wall-airfoil")["angle"] - before), 3)
        self.browser.pause()
        for _ in range(100):  # the stream passes the turned wing before its lift means something
            if self.scalar("lift_coefficient") is not None:
                break
            self.browser.step(500)
        self.assertAlmostEqual(self.read("Lift coefficient"), self.scalar("lift_coefficient"),
            delta=1e-3 * abs(self.scalar("lift_coefficient")) + 1e-6)
        self.end()

    def test_heat_a_gas(self):
        self.task("Heat a gas")
        self.open("particles/heat")
        before = self.browser.do("return run.status.parameters.temperature_right"), self.scalar("temperature")
        self.drag_slider("Temperature, right", 0.8)
        self.assertGreater(self.browser.do("return run.status.parameters.temperature_right"), 2 * before[0])
        self.browser.step(1500)
        self.assertGreater(self.scalar("temperature"), 1.1 * before[1])
        self.end()

    def test_undo_of_a_mistake(self):
        self.task("Undo a mistake and go on")
        self.open("wave/double-slit")
        before = self.browser.do("return run.status.objects")
        self.drag_handle("slits", "", 60, 0)
        self.assertNotEqual(self.browser.do("return run.status.objects"), before)
        self.clicks = 0
        self.press_button(".transport-left [aria-label^='Undo']")
        self.browser.do("await until(() => !run.status.next_undo);")
        self.assertEqual(self.browser.do("return run.status.objects"), before)
        begun = self.browser.steps()
        self.browser.do("if (!await until(() => run.status.steps > given[0])) throw new Error('the run is paused');", begun)
        self.end()


class Window(Tasks, PageTest):
    def test_delete_and_keys_of_an_object(self):
        browser = self.browser
        self.open("wave/double-slit")
        self.select("slits")
        x = self.numbers("slits")["x"]
        browser.keys(Keys.ARROW_RIGHT)
        browser.rest()
        self.assertGreater(self.numbers("slits")["x"], x)
        count = browser.do("return run.status.objects.length")
        browser.keys(Keys.DELETE)
        browser.do("await until(() => run.status.objects.length < given[0]);", count)
        self.assertEqual(browser.do("return run.status.objects.map((one) => one.kind)"), ["line-source"])
        browser.chord(Keys.CONTROL, "z")
        browser.do("await until(() => run.status.objects.length === given[0]);", count)
        # Esc leaves the arrow keys to the crosshair.
        browser.keys(Keys.ESCAPE, Keys.ARROW_RIGHT)
        browser.rest()
        self.assertFalse(browser.plain("return document.querySelector('.crosshair').hidden"))

    def test_a_drag_is_one_undo_step(self):
        browser = self.browser
        self.open("wave/double-slit")
        before = self.numbers("slits")
        self.drag_handle("slits", "", 60, 20)
        self.assertNotEqual(self.numbers("slits"), before)
        browser.chord(Keys.CONTROL, "z")
        browser.rest()
        self.assertEqual(self.numbers("slits"), before)


class Phone(Tasks, PageTest):
    size = (390, 844)
    touch = True

    def test_handles_are_large_enough_for_a_finger(self):
        browser = self.browser
        self.open("wave/double-slit")
        for dx, dy in ((12, 0), (-12, 0), (0, 12), (0, -12)):
            browser.do("(await load('objects')).select(0); await settled();")
            x, y = browser.do(handle_at, "slits", "")  # (a tap scrolls to the sliders)
            browser.touch(x + dx, y + dy)
            browser.do("if (!await until(() => run.selection.object)) throw new Error('missed')")


if __name__ == "__main__":
    unittest.main()
