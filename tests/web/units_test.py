"""Units of the scene: everything that shows a value shows it in cm, s and Hz; files and links do not."""
import unittest

from browser import Keys
from page_test import PageTest

field = """[...document.querySelectorAll("#page-physics .row, .tool-settings .row")].find((one) =>
  one.querySelector(".row-label").textContent === given[0])"""


class Units(PageTest):
    def open(self, scene):
        self.browser.open_scene(scene, fresh=True)
        self.browser.pause()

    def row(self, label):
        """Number and unit of a row, as shown."""
        return self.browser.do(f"""
          const row = {field};
          return [row.querySelector(".number").value, row.querySelector(".unit")?.textContent ?? ""];
        """, label)

    def type_into(self, label, text):
        self.browser.do(f"({field}).querySelector('.number').focus();", label)
        self.browser.keys(text, Keys.ENTER)
        self.browser.rest()

    def text_of(self, selector):
        return self.browser.plain("return document.querySelector(arguments[0]).textContent", selector)

    def choose(self, units):
        self.browser.click("#tab-view")
        self.browser.do(f"document.querySelector('input[name=units][value={units}]').click(); await settled();")

    def test_every_part_of_the_page_shows_the_units_of_the_scene(self):
        browser = self.browser
        self.open("wave/double-slit")
        browser.do("await call('view', { theory: true }); await settled();")
        browser.step(40)
        # Rows of an object: its sliders are in cm and Hz, its actions are not.
        browser.do("const { select } = await load('objects'); "
                   "select(run.status.objects.find((one) => one.kind === 'slits').id); await settled();")
        distance = browser.do("return run.status.objects.find((one) => one.kind === 'slits').numbers.distance")
        self.assertEqual(self.row("Distance"), [f"{distance / 10:g}", "cm"])
        self.type_into("Distance", "4.8")
        self.assertEqual(browser.do("return run.status.objects.find((one) => one.kind === 'slits').numbers.distance"), 48)
        self.assertEqual(self.row("Distance"), ["4.8", "cm"])
        # The clock, the colour bar, the value at the pointer and the labels of theory.
        self.assertRegex(self.text_of(".clock"), r"t = [\d.]+\s?s$")
        self.assertRegex(self.text_of(".color-bar"), "mm")
        browser.do("run.pointer = { x: 200, y: 200, ...(await load('pointer_input')).viewSize(), moved: true }; "
                   "await settled();")
        self.assertRegex(self.text_of(".status .value"), r"mm$")
        self.assertRegex(browser.do("await until(() => document.querySelector('.marks').ariaLabel); "
                                    "return document.querySelector('.marks').ariaLabel"), r"\d\s?cm")
        # Plots and numbers.
        browser.click("#tab-plots")
        browser.do("await until(() => run.diagnostics.curves?.length);")
        self.assertEqual(browser.do("return run.diagnostics.curves[0].x_unit"), "cm")
        self.assertRegex(self.text_of("#page-plots .numbers"), r"\d mm²/s²")
        browser.keys(Keys.F4)
        browser.do("await until(() => /mm²/.test(document.getElementById('messages').textContent));")
        # The table of the curves has the units of the plots.
        csv = browser.do("""
          const saved = new Promise((done) => (URL.createObjectURL = (blob) => (done(blob.text()), "")));
          HTMLAnchorElement.prototype.click = () => {};
          await (await load("exports")).saveCurves();
          return saved;
        """)
        self.assertIn(",cm,", csv)
        self.assertNotIn(",length,", csv)
        self.assertEqual(browser.complaints(), [])

    def test_the_units_of_the_simulation_can_be_chosen(self):
        browser = self.browser
        self.open("wave/double-slit")
        self.assertEqual(self.row("Radius")[1], "cm")
        radius = float(self.row("Radius")[0])
        self.choose("simulation")
        browser.click("#tab-physics")
        self.assertEqual(self.row("Radius"), [f"{10 * radius:g}", "length"])
        self.assertRegex(self.text_of(".clock"), r"t = [\d.]+ time units$")
        self.assertNotRegex(self.text_of(".color-bar"), "mm")
        browser.open_scene("wave/lens", fresh=True)  # (the choice is stored)
        self.assertEqual(self.row("Radius")[1], "length")
        self.choose("scene")
        self.assertEqual(self.row("Radius")[1], "cm")
        self.assertIn("1 length = 0.1 cm", self.text_of("#page-view"))
        browser.open_scene("particles/gas")
        self.assertFalse(browser.plain("return document.querySelector('input[name=units]').checkVisibility()"))

    def test_a_rejected_value_is_in_the_unit_of_its_field(self):
        browser = self.browser
        self.open("wave/doppler")
        label, unit = browser.do("""
          const { shownUnit } = await load("units");
          const info = run.simulation.parameters.find((one) => one.kind === "real" && shownUnit(one).factor !== 1);
          return [info.label, shownUnit(info).unit];
        """)
        self.type_into(label, "1e9")
        browser.do("await until(() => document.querySelector('#messages .error'));")
        self.assertRegex(browser.messages(), r"1e\+09 " + unit)

    def test_lessons_use_the_units_of_the_scene(self):
        browser = self.browser
        browser.open("#l=wave/two-slits")
        browser.do("await until(() => run.lesson && document.documentElement.dataset.page === 'run');")
        browser.pause()
        self.assertRegex(self.text_of(".color-bar"), "mm")
        self.assertRegex(self.text_of(".clock"), r"t = [\d.]+\s?s$")
        browser.click("#tab-view")
        self.assertIn("Lessons use the units of the scene.", self.text_of("#page-view"))


class Fibers(PageTest):
    def test_scene_opens_with_as_many_as_this_machine_steps_live(self):
        browser = self.browser
        browser.open_scene("fibers/thousand", fresh=True)
        browser.pause()
        words = r"Number of fibers: \d+ of 1000, as many as this computer can run smoothly\."
        self.assertRegex(browser.messages(), words)
        self.assertRegex(browser.plain("return document.querySelector('.count-offer').textContent"), words + "Use all 1000")
        live = browser.do("return run.status.width")
        self.assertLess(live, 1000)
        # Another number by its row; undo leads back.
        browser.do("document.querySelector('.count .number').focus();")
        browser.keys("20", Keys.ENTER)
        browser.do("await until(() => run.status.width === 20);")
        self.assertFalse(browser.plain("return document.querySelector('.count-offer').checkVisibility()"))
        # The address holds it, and a reload keeps it.
        browser.wait_for_address("request.width === 20")
        browser.driver.refresh()
        browser.wait_for_scene("fibers/thousand")
        browser.pause()
        self.assertEqual(browser.do("return run.status.width"), 20)
        self.assertNotRegex(browser.messages(), "as many as")
        self.assertEqual(browser.complaints(), [])

    def test_all_fibers_can_be_chosen(self):
        browser = self.browser
        browser.open_scene("fibers/thousand", fresh=True)
        browser.pause()
        live = browser.do("return run.status.width")
        browser.do("document.querySelector('.count-offer button').click(); await until(() => run.status.width === 1000);")
        browser.wait_for_address("request.width === 1000")
        browser.do("await (await load('transport')).commands.undo();")
        self.assertEqual(browser.do("return [run.status.width, run.status.count.is_from_machine]"), [live, True])

    def test_slider_of_the_number_acts_when_it_is_released(self):
        browser = self.browser
        browser.open_scene("fibers/cloud", fresh=True)
        browser.pause()
        before, after = browser.do("""
          const { width } = run.status, slider = document.querySelector(".count input[type=range]");
          for (const value of [500, 200, 100]) {
            slider.value = value;
            slider.dispatchEvent(new Event("input"));
          }
          await settled();
          const during = [width, run.status.width, document.querySelector(".count .number").value];
          slider.dispatchEvent(new Event("change"));
          await until(() => run.status.width !== width);
          return [during, run.status.width];
        """)
        self.assertEqual(before[0], before[1])
        self.assertEqual(int(before[2]), after)


if __name__ == "__main__":
    unittest.main()
