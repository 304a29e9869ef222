"""Lighter variants of scenes on a slow machine: which ones open, what the page says, and the way to the full scene."""
import unittest

from page_test import PageTest

# The engine's clock runs 300 times as fast, so every measured step seems slow.
slow_engine = """
window.opensLighter = true;
const EngineWorker = Worker, script = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
window.Worker = class extends EngineWorker {
  constructor(url, options) {
    const clock = script("const now = performance.now.bind(performance); performance.now = () => 300 * now();");
    super(script(`import "${clock}"; import "${url}";`), options);
  }
};
"""


class SlowMachine(PageTest):
    scripts = (slow_engine,)

    def state(self):
        return self.browser.do("return [run.status.scene, run.status.width, run.status.lightness?.is_lighter ?? null]")

    def test_opens_lighter_variant_says_so_and_offers_the_full_scene(self):
        browser = self.browser
        browser.open_scene("lbm/cylinder", fresh=True)
        browser.pause()
        self.assertEqual(self.state(), ["lbm/cylinder", 384, True])
        note = "384 x 128 cells instead of 768 x 256, because this machine is too slow for the full scene."
        self.assertIn(note, browser.messages())
        offer = "return [...document.querySelectorAll('.lighter-offer > *')].filter((one) => one.checkVisibility())" \
            ".map((one) => one.textContent)"
        self.assertEqual(browser.plain(offer), [note, "Open the full scene"])
        # Parameters are compared with those of the variant: nothing differs, and a link names only the variant.
        self.assertEqual(browser.do("return call('scene', {})"), {"scene": "lbm/cylinder-lighter-1"})
        browser.click(".lighter-offer button:not([hidden])")
        browser.do("await until(() => run.status.width === 768);")
        browser.pause()
        self.assertEqual(self.state(), ["lbm/cylinder", 768, False])
        self.assertEqual(browser.plain(offer), ["Open the scene as this machine can compute it"])
        # A reload keeps the choice.
        browser.driver.refresh()
        browser.wait_for_scene("lbm/cylinder")
        browser.pause()
        self.assertEqual(self.state(), ["lbm/cylinder", 768, False])
        browser.click(".lighter-offer button:not([hidden])")
        browser.do("await until(() => run.status.width === 384);")
        self.assertEqual(browser.complaints(), [])

    def test_link_to_a_changed_scene_opens_as_it_was_shared(self):
        browser = self.browser
        browser.open_scene("particles/gas", fresh=True)
        browser.pause()
        self.assertEqual(browser.do("return run.status.parameters.count"), 750)
        browser.do("await call('set', { changes: { velocity_max: 1.5 }, merge_with_last: false });")
        lighter = browser.do("return call('scene', {})")
        self.assertEqual(lighter, {"scene": "particles/gas-lighter-1", "parameters": {"velocity_max": 1.5}})
        self.assertEqual(browser.do("""
          const full = await call("open", { scene: "particles/gas", parameters: { velocity_max: 1.5 } });
          const again = await call("open", given[0]);
          return [full.parameters.count, again.parameters.count, again.parameters.radius];
        """, lighter), [3000, 750, 2])

    def test_gallery_marks_scenes_that_open_lighter(self):
        browser = self.browser
        marked = "return [...document.querySelectorAll('[data-lighter]')].filter((one) => !one.hidden)" \
            ".map((one) => one.dataset.lighter)"
        browser.open("")
        self.assertEqual(browser.plain(marked), [])
        for scene in ("lbm/cylinder", "wave/rain", "particles/gas-full"):
            browser.do("location.hash = `s=${given[0]}`; await until(() => given[0].startsWith(run.status?.scene));",
                scene)
        self.assertEqual(browser.plain(marked), ["lbm/cylinder"])
        # Also after the next start of the page.
        browser.open("")
        self.assertEqual(browser.plain(marked), ["lbm/cylinder"])


if __name__ == "__main__":
    unittest.main()
