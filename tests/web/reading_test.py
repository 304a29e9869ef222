"""Accessibility and output: focus, forced colours, print, saved images, German numbers and hyphenation."""
import base64
import pathlib
import unittest

from browser import Keys
from page_test import PageTest, pictures

focus = "document.activeElement === document.body ? 'body' : (document.activeElement.id || document.activeElement.className)"
# Finds words that are broken without a hyphen.
broken = """
  const found = [];
  const walk = document.createTreeWalker(document.getElementById(arguments[0]), NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (!node.parentElement.checkVisibility({ visibilityProperty: true }) ||
      node.parentElement.closest(".visually-hidden, option")) continue;
    for (const { 0: word, index } of node.data.matchAll(/[\\p{L}\\p{N}]{4,}/gu)) {
      const range = document.createRange();
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (tops.size > 1) found.push(word);
    }
  }
  return found;
"""


class Notes(PageTest):
    def test_what_a_run_says_while_it_is_shown_appears(self):
        browser = self.browser
        browser.open_scene("wave/rain", fresh=True)
        browser.click("#tab-view")
        browser.plain("const one = document.querySelector('#page-view select'); "
                      "one.value = 'intensity'; one.dispatchEvent(new Event('change', { bubbles: true }));")
        browser.wait("/there is a screen/.test(document.querySelector('.message-box')?.textContent)", "the note")


class Focus(PageTest):
    def test_focus_moves_into_a_scene_and_back(self):
        browser = self.browser
        browser.open("#scenes")
        browser.plain("document.querySelector('#gallery .card[href=\"#s=wave/rain\"]').focus()")
        browser.keys(Keys.ENTER)
        browser.wait("document.documentElement.dataset.page === 'run'", "the scene")
        self.assertEqual(browser.plain(f"return {focus}"), "view")
        browser.keys("g")
        browser.wait("document.documentElement.dataset.page === 'gallery'", "the gallery")
        self.assertEqual(browser.plain("return document.activeElement.getAttribute('href')"), "#s=wave/rain")

    def test_focus_stays_on_redrawn_controls(self):
        browser = self.browser
        browser.open_scene("wave/rain", fresh=True)
        browser.pause()
        browser.click("#tab-view")
        for name in ("range", "cells"):
            browser.plain("document.querySelector(`#page-view input[name=${arguments[0]}]:checked`).focus()", name)
            browser.keys(Keys.ARROW_RIGHT)
            browser.rest()
            self.assertEqual(browser.plain("return document.activeElement.name"), name)
        browser.do("const { showMessage } = await load('run'); showMessage('A note', 'error');")
        browser.plain("document.querySelector('.message-box button').focus()")
        browser.keys(Keys.ENTER)
        self.assertEqual(browser.plain(f"return {focus}"), "view")
        browser.open("#l=wave/two-slits", fresh=False)
        browser.do("await until(() => run.lesson?.index === 0);")
        browser.plain("document.querySelector('.lesson-buttons .accent').focus()")
        browser.keys(Keys.ENTER)
        browser.do("await until(() => run.lesson?.index === 1);")
        self.assertEqual(browser.plain(f"return {focus}"), "lesson-title")

    def test_keys_work_with_caps_lock_and_other_layouts(self):
        browser = self.browser
        browser.open_scene("wave/rain", fresh=True)
        browser.pause()
        press = lambda key, code, **more: browser.plain("document.getElementById('view').dispatchEvent(new KeyboardEvent("
            "'keydown', { key: arguments[0], code: arguments[1], bubbles: true, cancelable: true, ...arguments[2] }))",
            key, code, more)
        for key, code, what in (("R", "KeyR", "Caps Lock"), ("к", "KeyR", "a Russian layout")):
            browser.step(5)
            press(key, code)
            self.assertTrue(browser.do("return until(async () => (await call('status')).steps === 0)"), what)
        browser.step(5)
        press("R", "KeyR", shiftKey=True)  # Shift still means the other command
        browser.rest()
        tools = browser.do("return run.simulation.tools.map((one) => one.id)")
        press("é", "Digit2")
        self.assertEqual(browser.do("return run.tool"), tools[1], "the row of digits of a French keyboard")
        press("&", "Digit1")
        self.assertEqual(browser.do("return run.tool"), tools[0])


class Reading(PageTest):
    def test_forced_colors_show_sliders(self):
        browser = self.browser
        browser.open_scene("wave/rain", fresh=True)
        browser.pause()
        browser.command("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
        self.addCleanup(browser.command, "Emulation.setEmulatedMedia", features=[])
        box = browser.plain("""
          const slider = document.querySelector("#page-physics .row.real input[type=range]");
          slider.scrollIntoView({ block: "center" });
          const box = slider.getBoundingClientRect();
          return [box.left, box.top + box.height / 2, box.width];
        """)
        browser.do("await settled();")
        shot = browser.command("Page.captureScreenshot", clip={"x": box[0], "y": box[1] - 14, "width": box[2],
                                                               "height": 28, "scale": 1})
        colors = browser.do("""
          const bytes = Uint8Array.from(atob(given[0]), (sign) => sign.charCodeAt(0));
          const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
          const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
          context.drawImage(image, 0, 0);
          const { data } = context.getImageData(0, 0, image.width, image.height), columns = [];
          for (let x = 4; x < image.width - 4; x += 4) {
            const seen = new Set();
            for (let y = 0; y < image.height; ++y) seen.add(data.slice(4 * (y * image.width + x), 4 * (y * image.width + x) + 3).join());
            columns.push(seen.size);
          }
          return columns;
        """, shot["data"])
        self.keep_screenshot("forced-colors")
        self.assertGreater(min(colors), 1, f"no track is seen in places: {colors}")

    def test_print_shows_the_view_without_controls(self):
        browser = self.browser
        browser.open_scene("wave/double-slit", fresh=True)
        browser.step(300)
        browser.command("Emulation.setEmulatedMedia", media="print")
        self.addCleanup(browser.command, "Emulation.setEmulatedMedia", media="")
        seen = browser.plain("return Object.fromEntries(arguments[0].map((one) => "
                             "[one, document.querySelector(one)?.checkVisibility() ?? false]))",
                             ["#view", ".color-bar", ".top-title", "#page-physics .row.real .number", ".transport",
                              ".tools", ".tabs",
                              "#page-physics input[type=range]", "#top nav"])
        self.assertEqual({one for one, shown in seen.items() if shown},
                         {"#view", ".color-bar", ".top-title", "#page-physics .row.real .number"})
        self.keep_screenshot("print")
        paper = browser.command("Page.printToPDF", printBackground=False)
        self.assertTrue(base64.b64decode(paper["data"]).startswith(b"%PDF"))

    def test_saved_image_has_scale_and_caption(self):
        browser = self.browser
        browser.open_scene("wave/double-slit", fresh=True)
        browser.step(300)
        browser.plain("window.saved = null; HTMLAnchorElement.prototype.click = function () { window.saved = this.href; };")
        found = browser.do("""
          const { saveImage } = await load("exports");
          await settled();
          const screen = colors();
          saveImage();
          await until(() => window.saved);
          const image = await createImageBitmap(await (await fetch(window.saved)).blob());
          const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
          context.drawImage(image, 0, 0);
          const above = context.getImageData(0, 0, screen.width, screen.height);
          const below = context.getImageData(0, screen.height, image.width, image.height - screen.height).data;
          const seen = new Set();
          let ink = 0;
          for (let i = 0; i < below.length; i += 4) {
            seen.add(below.slice(i, i + 3).join());
            ink += below[i] < 100 && below[i + 1] < 100 && below[i + 2] < 100;
          }
          let shot = "";
          if (given[0]) {
            const reader = new FileReader();
            reader.readAsDataURL(await canvas.convertToBlob());
            await until(() => reader.result);
            shot = reader.result;
          }
          return { same: hash(above.data) === hash(screen.data), width: image.width === screen.width,
            colors: seen.size, ink, shot };
        """, bool(pictures))
        if pictures:
            pathlib.Path(pictures).mkdir(parents=True, exist_ok=True)
            pathlib.Path(pictures, "saved.png").write_bytes(base64.b64decode(found["shot"].split(",")[1]))
        self.assertTrue(found["same"], "the saved image differs from the screen")
        self.assertTrue(found["width"])
        self.assertGreater(found["colors"], 100, "no colour bar")
        self.assertGreater(found["ink"], 300, "no caption")

    def test_german_page_uses_decimal_commas_and_hyphens(self):
        browser = self.browser
        browser.open("#s=wave/refraction", query="?language=de")
        browser.wait_for_scene("wave/refraction")
        browser.step(30)
        browser.wait("document.querySelector('#tab-physics').textContent === 'Physik'", "German")
        browser.rest()
        numbers = browser.plain("return [...document.querySelectorAll('#page-physics input.number, .clock, .bar-ticks, .gauge-numbers')]"
                                ".map((one) => one.value ?? one.innerText).join(' ')")
        self.assertRegex(numbers, r"\d,\d")
        self.assertNotRegex(numbers, r"\d\.\d")
        field = browser.find("#page-physics .row.real .number")
        field.click()
        browser.keys("12,5", Keys.ENTER)  # in cm/s
        browser.rest()
        self.assertEqual(browser.do("return run.status.parameters.wave_speed"), 0.5)
        self.assertEqual(browser.plain("return document.documentElement.lang"), "de")
        for size in ((1280, 720), (360, 740)):
            browser.resize(*size)
            self.addCleanup(browser.resize, *self.size)
            for scene in ("wave/refraction", "lbm/cylinder", "membrane/modes", "particles/gas"):
                browser.open_scene(scene)
                browser.pause()
                for tab in ("physics", "view", "kernels"):
                    with self.subTest(size=size, scene=scene, tab=tab):
                        browser.click(f"#tab-{tab}")
                        self.assertEqual(browser.plain(broken, "panel"), [])
        self.keep_screenshot("german-phone")


if __name__ == "__main__":
    unittest.main()
