"""Touch and small windows: nothing is covered, scrolling changes nothing, and 3-D views can be turned."""
import time
import unittest

from browser import Keys
from page_test import PageTest

covered = """
  const one = document.activeElement, box = one.getBoundingClientRect(), left = document.querySelector(".left");
  if (one === document.body || left.contains(one)) return "";
  // Its upper edge, or the window's if it begins above.
  const at = document.elementFromPoint(box.left + box.width / 2, Math.max(box.top + 2, 0));
  return !at || left.contains(at) || box.bottom < 2 || box.top > innerHeight - 2 ? one.outerHTML.slice(0, 120) : "";
"""


class Touch(PageTest):
    size = (360, 740)
    touch = True

    def fingers(self, lanes, pause=0.0, kind="touchEnd"):
        """Moves two fingers along their points, the second one later."""
        send = lambda name, points: self.browser.command("Input.dispatchTouchEvent", type=name, touchPoints=points)
        first, second = ([{"x": x, "y": y, "id": finger} for x, y in lane] for finger, lane in enumerate(lanes))
        send("touchStart", [first[0]])
        time.sleep(pause)
        send("touchStart", [first[0], second[0]])
        for pair in zip(first[1:], second[1:]):
            send("touchMove", list(pair))
        send(kind, [])


class Phone(Touch):
    def test_focused_controls_are_not_covered_by_the_view(self):
        browser = self.browser
        browser.open_scene("wave/double-slit", fresh=True)
        browser.pause()
        browser.plain("document.activeElement.blur()")
        found, seen = [], set()
        for _ in range(60):
            browser.keys(Keys.TAB)
            seen.add(browser.plain("return document.activeElement.outerHTML.slice(0, 200)"))
            if hidden := browser.plain(covered):
                found.append(hidden)
        self.assertGreater(len(seen), 30)
        self.assertEqual(found, [])
        browser.chord(Keys.SHIFT, Keys.TAB)
        for _ in range(30):
            browser.chord(Keys.SHIFT, Keys.TAB)
            if hidden := browser.plain(covered):
                found.append(hidden)
        self.assertEqual(found, [], "backwards")

    def test_finger_adds_an_object(self):
        browser = self.browser
        browser.open_scene("wave/double-slit", fresh=True)
        browser.pause()
        count = browser.do("return run.status.objects.length")
        x, y, height = browser.plain("""
          const button = document.querySelector(".add [data-kind=lens]");
          button.scrollIntoView({ block: "end" });
          scrollBy(0, 60);
          const box = button.getBoundingClientRect();
          return [box.left + box.width / 2, box.top + box.height / 2, box.height];
        """)
        self.assertGreaterEqual(height, 24)
        browser.touch(x, y)
        browser.do("if (!await until(() => run.status.objects.length === given[0])) throw new Error('no object');",
            count + 1)
        # It is in the middle of the view, which is still visible, and selected.
        self.assertEqual(browser.do("return run.status.objects.at(-1).kind"), "lens")
        self.assertTrue(browser.do("await settled(); "
                                   "return run.selection.object === run.status.objects.at(-1).id"))
        self.assertGreater(browser.plain("return document.getElementById('view').getBoundingClientRect().bottom"), 100)

    def slider(self):
        """Scrolls to a slider; returns its centre and the text of its number."""
        return self.browser.plain("""
          const row = [...document.querySelectorAll("#page-physics .row.real")].find((one) => !one.querySelector("[disabled]"));
          const slider = row.querySelector("input[type=range]");
          slider.scrollIntoView({ block: "end" });
          scrollBy(0, 60);
          const box = slider.getBoundingClientRect();
          return [box.left, box.top + box.height / 2, box.width, row.querySelector(".number").value, row.querySelector("label").textContent];
        """)

    def test_swipe_up_from_a_slider_scrolls_without_changing_it(self):
        browser = self.browser
        browser.open_scene("wave/double-slit", fresh=True)
        browser.pause()
        before = browser.do("return run.status.events")
        x, y, width, number, _ = self.slider()
        scrolled = browser.plain("return scrollY")
        for share in (0.8, 0.2):
            browser.touch_along([(x + share * width + dx, y - dy) for dx, dy in ((0, 0), (0, 4), (1, 12), (1, 30),
                                                                                 (2, 60), (2, 90))])
        browser.rest()
        self.assertGreater(abs(browser.plain("return scrollY") - scrolled), 20, "the swipe scrolls nothing")
        self.assertEqual(self.slider()[3], number)
        self.assertEqual(browser.do("return run.status.events"), before)

    def test_finger_sets_a_slider_by_drag_and_tap(self):
        browser = self.browser
        browser.open_scene("wave/double-slit", fresh=True)
        browser.pause()
        x, y, width, number, _ = self.slider()
        # To the left: a wave speed beyond the limit of stability is rejected.
        browser.touch_along([(x + share * width, y) for share in (0.5, 0.45, 0.4, 0.3, 0.2, 0.15)])
        browser.rest()
        across = self.slider()[3]
        self.assertNotEqual(across, number)
        x, y, width, *_ = self.slider()
        # Chromium turns a touch that ends where it began into a tap.
        browser.touch(x + 0.15 * width, y)
        browser.do("return until(() => true)")
        browser.do("await until(() => document.querySelector('#page-physics .row.real .number').value !== given[0]);",
                   across)

    def test_panels_are_reachable_at_400_percent(self):
        browser = self.browser
        browser.resize(320, 256)
        self.addCleanup(browser.resize, *self.size, True)
        browser.open_scene("wave/double-slit", fresh=True)
        browser.pause()
        browser.plain("document.querySelector('#page-physics .row input').scrollIntoView({ block: 'center' })")
        seen = browser.plain("""
          const box = document.querySelector("#page-physics .row input").getBoundingClientRect();
          const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
          return [box.top >= 0 && box.bottom <= innerHeight, Boolean(at?.closest("#panel"))];
        """)
        self.assertEqual(seen, [True, True])
        self.assertGreater(browser.plain("return document.getElementById('panel').getBoundingClientRect().height"), 256)
        self.keep_screenshot("zoom-400-panel")

    def test_late_second_finger_undoes_the_stroke(self):
        browser = self.browser
        browser.open_scene("wave/droplet", fresh=True)
        browser.pause()
        picture = browser.image_hash()
        x, y = browser.place(0.5, 0.5)
        for pause in (0.1, 0.4):
            with self.subTest(pause=pause):
                zoom = browser.do("return run.status.view.camera.zoom")
                self.fingers([[(x - 30, y), (x - 40, y), (x - 60, y)], [(x + 30, y), (x + 40, y), (x + 60, y)]], pause)
                self.assertTrue(browser.do("return until(() => run.status.view.camera.zoom > given[0])", zoom))
                browser.rest()
                self.assertFalse(browser.do("return run.status.next_undo"), "a droplet is left")
        browser.keys(Keys.HOME)
        browser.do("await until(() => run.status.view.camera.zoom === 1);")
        self.assertEqual(browser.image_hash(), picture)
        browser.touch(x, y)
        self.assertTrue(browser.do("return until(() => run.status.next_undo)"), "a tap leaves no droplet")

    def test_hints_name_no_buttons_or_keys_on_a_phone(self):
        browser = self.browser
        browser.open("#scenes")
        browser.do("Object.defineProperty(window, 'asked', { value: matchMedia('(pointer: coarse)').matches });")
        self.assertTrue(browser.plain("return matchMedia('(pointer: coarse)').matches"))
        result = browser.do("""
          const { hintOf, hasFingersOnly } = await load("i18n");
          const texts = run.catalog.simulations.flatMap((one) => one.presets.map((preset) => [preset.scene, hintOf(preset)]));
          return [hasFingersOnly(), texts.filter(([, text]) => /(right|middle|left) (button|drag|click)|right-|\\bclick|wheel|\\bkeys?\\b|Right:|mouse/i
            .test(text))];
        """)
        self.assertEqual(result, [True, []])
        browser.open_scene("lbm/cylinder")
        # Nor do buttons.
        self.assertEqual(browser.do("""
          const { tr } = await load("i18n");
          const keys = run.catalog.commands.map((one) => `(${tr(one.shown_key)})`);
          return [...document.querySelectorAll("#run button")].map((one) => one.ariaLabel || one.textContent)
            .filter((text) => keys.some((key) => text.endsWith(key)));
        """), [])
        # The help of a tool names both buttons; the use of a finger comes before it.
        self.assertTrue(browser.plain("return document.querySelector('.tool-help').innerText").startswith("A finger acts as"))
        self.assertIn("with the tool", browser.plain("return document.querySelector('.hint').innerText"))


class Depth(Touch):
    """(Uses its own browser: Chromium drops touches after a tap on a previous page.)"""

    def test_fingers_buttons_and_keys_turn_3d_views(self):
        browser = self.browser
        browser.open_scene("wave/surface", fresh=True)
        browser.pause()
        turned = lambda: browser.do("const { yaw, pitch } = run.status.view.camera; return [yaw, pitch];")
        x, y = browser.plain("const b = document.getElementById('view').getBoundingClientRect(); "
                             "return [b.left + b.width / 2, b.top + b.height / 2];")

        def expect_view_turned(what, do):
            before = turned()
            do()
            self.assertTrue(browser.do("return until(() => run.status.view.camera.yaw !== given[0])", before[0]), what)
            browser.rest()

        expect_view_turned("two fingers",
              lambda: self.fingers([[(x - 40 + k, y) for k in (0, 20, 40)], [(x + 40 + k, y) for k in (0, 20, 40)]]))
        self.assertFalse(browser.do("return run.status.next_undo"))
        expect_view_turned("a button", lambda: browser.click(".turn-right"))
        browser.plain("document.getElementById('view').focus()")
        expect_view_turned("keys", lambda: browser.chord(Keys.ALT, Keys.ARROW_LEFT))
        self.keep_screenshot("phone-turn")
        browser.open_scene("wave/rain")
        self.assertFalse(browser.find(".turn-pad").is_displayed())


if __name__ == "__main__":
    unittest.main()
