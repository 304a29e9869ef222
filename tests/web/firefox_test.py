"""The page with its own engine in Firefox: one scene of each simulation, as in Chromium."""
import os
import pathlib
import unittest

from browser import Browser
from firefox import Firefox, needs_firefox
from host import Site

scenes = ("wave/double-slit", "lbm/cylinder", "particles/gas", "fibers/pair", "membrane/drum")
steps = 20


@needs_firefox
class FirefoxEngine(unittest.TestCase):
    def look(self, browser):
        """Of each scene after some steps: its numbers, its curves and the hash of its image."""
        found = {}
        for scene in scenes:
            browser.open_scene(scene)
            # (An automatic range depends on the images that were painted before.)
            browser.do("await call('view', { automatic: false });")
            browser.restart()
            browser.step(steps)
            look = browser.do("return JSON.stringify(await call('look', { curves: true }));")
            size = browser.do("const { width, height } = colors(); return [width, height];")
            found[scene] = [browser.steps(), look, size, browser.image_hash()]
        self.assertEqual(browser.complaints(), [])
        return found

    def test_computes_and_paints_what_chromium_does(self):
        expected = None
        for kind in (Browser, Firefox):
            site = Site(pathlib.Path(os.environ["PERTURB_WEB_SITE"]), True)
            browser = kind(site.address)
            try:
                browser.open()
                self.assertTrue(browser.do("return crossOriginIsolated"))
                found = self.look(browser)
            finally:
                browser.close()
                site.close()
            expected = expected or found
            for scene in scenes:
                with self.subTest(scene=scene, browser=kind.__name__):
                    self.assertEqual(found[scene], expected[scene])


if __name__ == "__main__":
    unittest.main()
