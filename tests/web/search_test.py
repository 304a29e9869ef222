"""Search and language selector of the gallery."""
import unittest

from page_test import PageTest


class Search(PageTest):
    def found(self, words):
        return self.browser.plain("""
          const search = document.getElementById("search");
          search.value = arguments[0];
          search.dispatchEvent(new Event("input", { bubbles: true }));
          return [...document.querySelectorAll("#gallery .card")].filter((one) => one.checkVisibility()).map((one) =>
            one.getAttribute("href"));
        """, words)

    def test_search_finds_scenes_by_keyword(self):
        browser = self.browser
        browser.open("#scenes")
        for words, scene in {"interference": "#s=wave/double-slit", "diffraction": "#s=wave/single-slit",
                             "light": "#s=wave/lens", "heat": "#s=particles/mixing", "turbulence": "#s=lbm/cylinder",
                             "Sound resonance": "#s=membrane/drum", "diffraction lesson": "#l=wave/two-slits"}.items():
            self.assertIn(scene, self.found(words), words)
        self.assertEqual(self.found("diffraction heat"), [])

    def test_search_puts_whole_words_of_titles_and_keywords_first(self):
        browser = self.browser
        browser.open("#scenes")
        self.assertEqual(self.found("rain")[0], "#s=wave/rain")
        self.assertEqual(self.found("interference")[0], "#s=wave/double-slit", "its subject, not one of its contents")
        browser.plain("document.getElementById('search').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }))")
        browser.wait("location.hash.startsWith('#s=wave/double-slit')", "the first card opened")

    def test_gallery_has_a_language_selector(self):
        browser = self.browser
        browser.open("#scenes")
        browser.plain("const one = document.querySelector('#top select.language'); one.focus(); one.value = 'de'; "
                      "one.dispatchEvent(new Event('change'));")
        browser.wait("document.querySelector('#gallery h1').textContent !== 'Physics to poke'", "German")
        self.assertEqual(browser.plain("return document.documentElement.lang"), "de")
        browser.do("await until(() => [...document.querySelectorAll('.card-title')].some((one) => one.textContent === 'Doppelspalt'));")
        self.assertTrue(browser.do("""
          const search = document.getElementById("search");
          search.value = "wärme";
          search.dispatchEvent(new Event("input", { bubbles: true }));
          return until(() => document.querySelector("#gallery .card[href='#s=particles/mixing']"));
        """), "a German keyword")
        browser.open("#scenes")
        self.assertTrue(browser.do("return until(() => document.querySelector('#top select.language').value === 'de')"), "not kept")
        browser.plain("const one = document.querySelector('#top select.language'); one.value = 'en'; "
                      "one.dispatchEvent(new Event('change'));")
        browser.wait("document.querySelector('#gallery h1').textContent === 'Physics to poke'", "English")


if __name__ == "__main__":
    unittest.main()
