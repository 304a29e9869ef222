"""Instruments, the microscope and images as walls, by mouse, fingers and keys."""
import unittest

from browser import Keys
from page_test import PageTest

# The window positions of an instrument's handles.
handles = """
  await settled();
  const box = document.getElementById("view").getBoundingClientRect();
  return run.overlay.instruments[given[0]].at.map(([x, y]) => [box.left + x, box.top + y]);
"""


class Instruments(PageTest):
    size = (1440, 800)

    def add(self, kind):
        count = len(self.browser.do("return run.status.instruments"))
        self.browser.plain("document.querySelector(`.instrument-buttons [data-kind=${arguments[0]}]`).click()", kind)
        self.assertTrue(self.browser.do("return until(() => run.overlay.instruments.length > given[0]);", count), kind)
        return count

    def handles(self, index):
        return self.browser.do(handles, index)

    def readings(self):
        return self.browser.do("const { tr } = await load('i18n'); await settled(); "
                               "return run.overlay.instruments.map((one) => tr(one.reading))")

    def open_slits(self):
        self.browser.open_scene("wave/double-slit", fresh=True)
        self.browser.restart()

    def test_mouse_drags_each_instrument_and_the_address_keeps_them(self):
        browser = self.browser
        self.open_slits()
        self.assertTrue(browser.find(".transport > .transport-right > .instrument-buttons").is_displayed())
        events = browser.do("return run.status.events")
        for kind in ("ruler", "protractor", "cut", "probe"):
            index = self.add(kind)
            before, (x, y) = self.readings(), self.handles(index)[0]
            browser.drag([(x, y), (x + 30, y + 20), (x + 60, y - 45)])
            browser.rest()
            moved = self.handles(index)[0]
            self.assertAlmostEqual(moved[0], x + 60, delta=1.5)
            self.assertAlmostEqual(moved[1], y - 45, delta=1.5)
            if kind != "probe":
                self.assertNotEqual(self.readings()[index], before[index], kind)
        self.assertEqual(browser.do("return run.status.events"), events, "an instrument changes nothing in the run")
        self.add("stopwatch")
        kept = browser.wait_for_address("request.instruments?.length === 5")["instruments"]
        self.assertEqual(kept, browser.do("return run.status.instruments"))
        browser.driver.refresh()
        browser.wait_for_scene("wave/double-slit")
        opened = browser.do("return run.status.instruments")
        self.assertEqual(opened[:4], kept[:4])
        self.assertEqual(browser.complaints(), [])

    def test_keys_move_and_remove_the_selected_instrument(self):
        browser = self.browser
        self.open_slits()
        self.add("probe")
        before = self.handles(0)[0]
        browser.plain("document.getElementById('view').focus()")
        browser.keys(Keys.ARROW_RIGHT)
        browser.rest()
        self.assertAlmostEqual(self.handles(0)[0][0], before[0] + 1, delta=0.1)
        browser.keys(Keys.DELETE)
        self.assertTrue(browser.do("return until(() => run.status.instruments.length === 0);"))

    def test_probe_and_cut_are_plotted_and_listed(self):
        browser = self.browser
        self.open_slits()
        self.add("probe")
        self.add("cut")
        self.assertTrue(browser.find("#page-plots").is_displayed(), "the tab opens")
        browser.step(600)
        self.assertTrue(browser.do("""
          refreshDiagnostics();
          return until(() => run.diagnostics?.curves?.filter((one) => one.of_instrument && one.points.length > 30).length === 3);
        """))
        names = [one.text for one in browser.all(".instrument .quiet")]
        self.assertEqual(len(names), 2)
        self.assertTrue(names[0].startswith("Probe 1"), names)
        titles = [one.text for one in browser.all("#page-plots .plot h3")]
        self.assertTrue(titles[0].startswith("Probe 1"), titles)
        # A longer reading moves nothing below it, where somebody may be about to press.
        heights = browser.do("""
          const row = document.querySelector(".instrument"), reading = row.querySelector("b");
          return ["0", "-0.0071234 cm of height"].map((text) => {
            reading.textContent = text;
            return row.offsetHeight;
          });
        """)
        self.assertEqual(heights[0], heights[1])
        self.keep_screenshot("instruments-plots")
        # A click on the handle of the probe selects it and shows its settings.
        x, y = self.handles(0)[0]
        browser.drag([(x, y)])
        browser.rest()
        sound = next(one for one in browser.all(".instruments-panel .rows button") if one.text == "Play sound")
        sound.click()
        played = "return (await load('probe_sound')).playedProbe()"
        self.assertGreater(browser.do(played), 0)
        self.assertEqual(sound.text, "Stop sound")
        sound.click()
        self.assertEqual(browser.do(played), 0)
        self.assertEqual(browser.complaints(), [])

    def test_stopwatch_stops_at_a_click_on_its_label(self):
        browser = self.browser
        self.open_slits()
        self.add("stopwatch")
        browser.step(50)
        x, y = browser.do("""
          await settled();
          const { watchBoxes } = await load("instruments"), [label] = watchBoxes.values();
          const box = document.getElementById("view").getBoundingClientRect();
          return [box.left + label.x + label.width / 2, box.top + label.y + label.height / 2];
        """)
        browser.drag([(x, y)])
        self.assertTrue(browser.do("return until(() => run.overlay.instruments[0].runs === false);"))
        before = self.readings()
        browser.step(50)
        self.assertEqual(self.readings(), before)

    def test_microscope_shows_the_cell_under_the_pointer(self):
        browser = self.browser
        browser.open_scene("wave/modes", fresh=True)
        browser.restart()
        browser.plain("document.getElementById('view').focus()")
        browser.keys("z")
        x, y = browser.place(0.3, 0.6)
        browser.drag([(x, y), (x + 2, y)])
        self.assertTrue(browser.do("return until(() => document.querySelector('.microscope').checkVisibility());"))
        text = browser.find(".microscope").text
        self.assertIn("Cell (", text)
        self.assertRegex(text, r"\d")
        self.keep_screenshot("instruments-microscope")
        browser.keys("z")
        self.assertFalse(browser.find(".microscope").is_displayed())

    def test_dropped_image_becomes_walls(self):
        browser = self.browser
        browser.open_scene("wave/rain", fresh=True)
        browser.restart()
        browser.do("""
          const canvas = new OffscreenCanvas(40, 20), context = canvas.getContext("2d");
          context.fillStyle = "#fff";
          context.fillRect(0, 0, 40, 20);
          context.fillStyle = "#000";
          context.fillRect(0, 0, 20, 20);
          const files = new DataTransfer();
          files.items.add(new File([await canvas.convertToBlob()], "half.png", { type: "image/png" }));
          document.documentElement.dispatchEvent(new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true }));
          await until(() => document.querySelector("dialog[open] .answer-choice"));
        """)
        self.keep_screenshot("instruments-image")
        next(one for one in browser.all("dialog .answer-choice") if one.text.startswith("Walls")).click()
        self.assertTrue(browser.do("return until(() => run.status.next_undo);"))
        readings = browser.do("return (await call('look', { places: [[0.25, 0.5], [0.75, 0.5]] })).readings")
        self.assertEqual([one is None for one in readings], [True, False])
        self.assertEqual(browser.complaints(), [])


class InstrumentsOnAPhone(PageTest):
    size = (390, 664)
    touch = True
    simple = True

    def test_finger_adds_and_drags_with_a_loupe(self):
        browser = self.browser
        browser.open_scene("wave/double-slit", fresh=True)
        browser.restart()
        browser.open_menu()
        button = browser.find(".bar-menu [data-kind=ruler]")
        self.assertTrue(button.is_displayed())
        button.click()
        self.assertTrue(browser.do("return until(() => run.overlay.instruments.length);"))
        self.assertFalse(browser.find("#bar-menu").is_displayed())
        events = browser.do("return run.status.events")
        x, y = browser.do(handles, 0)[1]
        point = lambda kind, *places: browser.command("Input.dispatchTouchEvent", type=kind,
            touchPoints=[{"x": left, "y": top} for left, top in places])
        point("touchStart", (x, y))
        for k in range(1, 5):
            point("touchMove", (x + 5 * k, y - 8 * k))
        self.assertTrue(browser.do("return until(() => document.querySelector('.loupe').checkVisibility());"))
        self.assertTrue(browser.do("return until(() => Math.abs(run.overlay.instruments[0].at[1][1] - given[0]) > 20);",
                                   y - browser.find(".stage").rect["y"]))
        self.keep_screenshot("instruments-loupe")
        point("touchEnd")
        browser.rest()
        moved = browser.do(handles, 0)[1]
        self.assertAlmostEqual(moved[0], x + 20, delta=1.5)
        self.assertAlmostEqual(moved[1], y - 32, delta=1.5)
        self.assertFalse(browser.find(".loupe").is_displayed())
        self.assertEqual(browser.do("return run.status.events"), events, "the tool has done nothing")

    def test_tap_points_with_the_microscope(self):
        browser = self.browser
        browser.open("#l=wave/one-cell")
        browser.do("await until(() => run.lesson && document.documentElement.dataset.page === 'run'); await settled();")
        browser.open_menu()
        browser.click(".bar-menu .instrument-buttons .toggle")
        browser.touch(*browser.place(0.4, 0.5))
        self.assertTrue(browser.do("return until(() => document.querySelector('.microscope').checkVisibility());"))
        self.assertIn("Cell (", browser.find(".microscope").text)
        self.assertNotIn("not available in this step", browser.messages())
        box = "const [box, view] = ['.microscope', '.stage'].map((one) => document.querySelector(one).getBoundingClientRect());"
        self.assertTrue(browser.plain(f"{box} return box.top >= view.top && box.bottom <= view.bottom"), "the table is cut")
        self.keep_screenshot("instruments-microscope-phone")


if __name__ == "__main__":
    unittest.main()
