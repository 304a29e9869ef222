"""The page before the engine has loaded: the gallery in the user's language, and the progress of the download."""
import json
import re
import threading
import unittest

from browser import Browser
from host import Site
from page_test import folder

cards = "[...document.querySelectorAll('#gallery .card')].map((one) => one.getAttribute('href'))"


class BeforeTheEngine(unittest.TestCase):
    def page(self, hash_="", query=""):
        self.go = threading.Event()
        site = Site(folder, slow=self.go)
        self.addCleanup(site.close)
        self.addCleanup(self.go.set)
        browser = Browser(site.address)
        self.addCleanup(browser.close)
        browser.go(hash_, query)
        return browser

    def wait_for_half(self, browser, place):
        browser.wait(f"(() => {{ const bar = document.querySelector('{place} progress');"
                     "return bar?.checkVisibility() && bar.value > 0.4 && bar.value < 0.6; })()", "half of the bar")
        words = browser.find(f"{place} .loading-words").text
        self.assertRegex(words, r"(4|5)\d %")
        return words

    def test_page_contains_the_gallery_without_scripts(self):
        browser = self.page()
        browser.command("Emulation.setScriptExecutionDisabled", value=True)
        browser.driver.get(browser.address)
        tables = json.loads(re.search(r'id="catalog">(.*?)</script>', (folder / "index.html").read_text("utf-8"))[1])
        titles = [one["title"] for simulation in tables["simulations"] for one in simulation["presets"]]
        self.assertGreater(len(titles), 40)
        shown = browser.find("#gallery").text
        self.assertEqual([title for title in titles if title not in shown], [])
        self.assertFalse(browser.find("#start").is_displayed())

    def test_gallery_works_before_the_engine_has_loaded(self):
        browser = self.page()
        browser.wait("document.querySelector('#search')", "the search")
        static = re.findall(r'<a class="card" href="([^"]*)"', (folder / "index.html").read_text("utf-8"))
        self.assertEqual(browser.plain(f"return {cards}"), static, "the page's gallery is another than the one in it")
        self.wait_for_half(browser, "#loading")
        browser.find("#search").send_keys(browser.find(".card[href='#s=lbm/airfoil'] .card-title").text)
        self.assertEqual(browser.plain(f"return {cards}"), ["#s=lbm/airfoil"])
        # A scene waits for the engine and shows its progress; the gallery can be opened meanwhile.
        browser.click("#gallery .card")
        self.wait_for_half(browser, "#start")
        self.assertFalse(browser.find("#gallery").is_displayed())
        browser.plain("history.back()")
        browser.wait("document.querySelector('#gallery').checkVisibility()", "the gallery again")
        browser.plain("history.forward()")
        browser.wait("document.querySelector('#start').checkVisibility()", "the wait again")
        self.go.set()
        browser.wait_for_scene("lbm/airfoil")
        self.assertEqual(browser.all("#loading progress:not([hidden] *)"), [])
        self.assertEqual(browser.messages(), "")

    def test_page_uses_the_readers_language_before_the_engine_has_loaded(self):
        browser = self.page(query="?language=de")
        browser.wait("/Doppelspalt/.test(document.querySelector('#gallery').innerText)", "German")
        self.assertIn("geladen", self.wait_for_half(browser, "#loading"))

    def test_link_shows_the_loading_progress_of_the_engine(self):
        browser = self.page("#s=wave/rain")
        self.wait_for_half(browser, "#start")
        self.assertFalse(browser.find("#gallery").is_displayed())
        self.go.set()
        browser.wait_for_scene("wave/rain")

    def test_images_are_loaded_only_where_they_are_seen(self):
        """On a slow line, thumbnails out of sight would delay the engine."""
        loaded = "performance.getEntriesByType('resource').map((one) => one.name).filter((name) => " \
            "name.includes('/thumbnails/'))"
        count = len(list((folder / "thumbnails").iterdir()))
        browser = self.page("#s=wave/rain")
        self.go.set()
        browser.wait_for_scene("wave/rain")
        self.assertEqual(browser.plain(f"return {loaded}"), [])
        browser.open("#scenes", fresh=False)
        browser.wait(f"{loaded}.length > 5", "thumbnails")
        browser = self.page()
        browser.wait(f"{loaded}.length > 5", "thumbnails")
        browser.wait("document.querySelector('#search')", "the search")
        self.assertLess(browser.plain(f"return {loaded}.length"), count)

    def test_images_are_small(self):
        images = [path for path in folder.rglob("*.webp")]
        self.assertGreater(len(images), 50)
        self.assertLess(sum(path.stat().st_size for path in images), 1e6)
        shown = re.findall(r'<img src="([^"]*)"', (folder / "index.html").read_text("utf-8"))
        self.assertEqual([name for name in shown if not name.endswith(".webp")], [])


if __name__ == "__main__":
    unittest.main()
