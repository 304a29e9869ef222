"""The embedded page: wheel and finger scroll the outer page, and the frame is filled."""
import unittest

from page_test import PageTest
from selenium.webdriver.common.by import By

around = """
  document.documentElement.innerHTML = "<head></head><body style='margin:0;height:4000px'><h1>A page around it</h1></body>";
  const frame = document.createElement("iframe");
  frame.src = arguments[0];
  frame.width = arguments[1];
  frame.height = arguments[2];
  frame.style.border = "0";
  if (arguments[3]) frame.sandbox = arguments[3];
  document.body.append(frame);
  scrollTo(0, 0);
"""


class Frame(PageTest):
    def frame(self, query="?controls=bar,hint", width=800, height=500, sandbox=""):
        browser = self.browser
        browser.resize(1000, 700)
        browser.driver.get(f"{self.site.address}files.json")  # an empty page of this host
        browser.plain(around, f"{self.site.address}{query}#s=wave/droplet", str(width), str(height),
                      sandbox)
        frame = browser.find("iframe")
        self.box = browser.plain("const b = document.querySelector('iframe').getBoundingClientRect(); return [b.left, b.top];")
        browser.driver.switch_to.frame(frame)
        browser.wait("document.documentElement.dataset.page === 'run'", "the scene in the frame")
        browser.do("setPlaying(false); await until(() => run.status); await settled();")
        self.addCleanup(browser.driver.switch_to.default_content)

    def outside(self, script, *given):
        self.browser.driver.switch_to.default_content()
        value = self.browser.plain(script, *given)
        self.browser.driver.switch_to.frame(self.browser.driver.find_element(By.TAG_NAME, "iframe"))
        return value

    def wheel(self, modifiers=0):
        x, y = self.box
        self.browser.command("Input.dispatchMouseEvent", type="mouseWheel", x=x + 400, y=y + 200, deltaX=0, deltaY=300,
                             modifiers=modifiers)

    def test_wheel_scrolls_the_outer_page_and_zooms_with_ctrl(self):
        browser = self.browser
        self.frame()
        self.wheel()
        browser.wait("document.querySelector('.scroll-hint').checkVisibility()", "the hint")
        self.assertIn("Ctrl", browser.plain("return document.querySelector('.scroll-hint').innerText"))
        browser.do("await settled(); await settled();")
        self.assertGreater(self.outside("return scrollY"), 100)
        self.assertEqual(browser.do("return run.status.view.camera.zoom"), 1)
        self.outside("scrollTo(0, 0)")
        browser.plain("window.dispatchEvent(new KeyboardEvent('keydown', { key: 'Control', ctrlKey: true }))")
        self.wheel(modifiers=2)
        self.assertTrue(browser.do("return until(() => run.status.view.camera.zoom !== 1)"))
        self.assertEqual(self.outside("return scrollY"), 0)

    def touches(self, kind, *points):
        self.browser.command("Input.dispatchTouchEvent", type=kind, touchPoints=[
            {"x": self.box[0] + x, "y": self.box[1] + y, "id": k} for k, (x, y) in enumerate(points)])

    def test_finger_scrolls_taps_and_draws_after_a_long_press(self):
        browser = self.browser
        self.frame()
        browser.command("Emulation.setTouchEmulationEnabled", enabled=True)
        self.addCleanup(browser.command, "Emulation.setTouchEmulationEnabled", enabled=False)
        self.touches("touchStart", (400, 300))
        for y in (285, 260, 220, 180, 150):
            self.touches("touchMove", (400, y))
        self.touches("touchEnd")
        browser.rest()
        self.assertGreater(self.outside("return scrollY"), 50, "a swipe scrolls nothing")
        self.assertFalse(browser.do("return run.status.next_undo"), "a swipe leaves a droplet")
        # The swipe continues by its momentum; the page stays at the top only after that has ended.
        self.assertTrue(self.outside("""
          let before = -1;
          for (let k = 0; k < 200 && before !== scrollY; ++k) {
            before = scrollY;
            await new Promise((done) => setTimeout(done, 150));
          }
          return before === scrollY;"""), "the swipe's momentum does not end")
        self.outside("scrollTo(0, 0)")
        self.touches("touchStart", (400, 300))
        self.touches("touchEnd")
        self.assertTrue(browser.do("return until(() => run.status.next_undo)"), "a tap does nothing")
        browser.do("await call('undo'); await call('status'); await settled();")
        # A finger draws after a long press; the tool's press is sent after it.
        browser.do("const { on } = await load('run'); window.poked = 0; on('poked', () => ++window.poked);")
        self.touches("touchStart", (400, 300))
        browser.wait("window.poked > 0", "the press of a finger that rests")
        for y in (285, 260, 220):
            self.touches("touchMove", (400, y))
        self.touches("touchEnd")
        browser.rest()
        self.assertEqual(self.outside("return scrollY"), 0, "drawing scrolls")
        # Two fingers pan and zoom the view.
        self.touches("touchStart", (380, 250), (420, 250))
        for apart in (30, 40, 60):
            self.touches("touchMove", (400 - apart, 250), (400 + apart, 250))
        self.touches("touchEnd")
        self.assertTrue(browser.do("return until(() => run.status.view.camera.zoom > 1)"))
        self.assertEqual(self.outside("return scrollY"), 0, "two fingers scroll")

    def test_sandboxed_frame_needs_what_the_dialog_names(self):
        browser = self.browser
        browser.open_scene("wave/droplet", fresh=True)
        browser.pause()
        browser.do("await (await load('dialogs')).openShare(); await settled();")
        needed = "allow-scripts allow-same-origin"
        text = browser.plain("return document.querySelector('dialog[open]').innerText")
        self.assertIn(needed, text)
        self.assertIn("only a list of scenes", text)
        self.frame(sandbox=needed)
        self.assertTrue(browser.plain("return document.getElementById('view').checkVisibility()"))
        # With less, nothing runs, and the list is all there is.
        browser.driver.switch_to.default_content()
        browser.driver.get(f"{self.site.address}files.json")
        browser.plain(around, f"{self.site.address}?controls=#s=wave/droplet", "800", "500", "allow-scripts")
        browser.driver.switch_to.frame(browser.find("iframe"))
        browser.wait("document.querySelectorAll('#gallery a[href]').length > 20", "the list of scenes")
        self.assertEqual(browser.plain("return document.documentElement.dataset.page"), "gallery")

    def test_small_frame_is_filled(self):
        for query, size in (("?controls=", (400, 300)), ("?controls=", (320, 480)), ("?controls=play,bar", (400, 300))):
            with self.subTest(query=query, size=size):
                self.frame(query, *size)
                share, below = self.browser.plain("""
                  const stage = document.querySelector(".stage").getBoundingClientRect();
                  const foot = Math.max(...[...document.querySelectorAll("#top, .stage, .transport")].filter((one) =>
                    one.checkVisibility()).map((one) => one.getBoundingClientRect().bottom));
                  return [stage.width * stage.height / innerWidth / innerHeight, innerHeight - foot];
                """)
                self.assertLess(abs(below), 2, "part of the frame is empty, or it scrolls")
                self.assertGreater(share, 0.5)
                self.browser.driver.switch_to.default_content()
                self.keep_screenshot(f"frame-{size[0]}-{query[10:]}")


if __name__ == "__main__":
    unittest.main()
