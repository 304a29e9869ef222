"""Base class of the page's tests: one host and one browser per class."""
import os
import pathlib
import unittest

from browser import Browser
from host import Site

folder = pathlib.Path(os.environ.get("PERTURB_WEB_SITE", pathlib.Path(__file__).resolve().parents[2] / "build/web"))
long_tests = os.environ.get("PERTURB_WEB_LONG") == "1"
# Folder for screenshots of the page; empty: none are saved.
if not (folder / "index.html").is_file():
    raise SystemExit(f"{folder} contains no page: build it with scripts/web --build.")
pictures = os.environ.get("PERTURB_WEB_PICTURES", "")


class PageTest(unittest.TestCase):
    size = (1280, 720)
    touch = False
    simple = False  # the simple view of the panels
    scripts = ()
    options = ()

    @classmethod
    def setUpClass(cls):
        cls.site = Site(folder)
        cls.browser = Browser(cls.site.address, *cls.size, touch=cls.touch, scripts=cls.scripts, options=cls.options,
                              simple=cls.simple)

    def setUp(self):
        # Data of a previous visitor in this browser must not affect the test.
        self.browser.command("Storage.clearDataForOrigin", origin=self.site.address.rstrip("/"),
            storageTypes="local_storage")

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.site.close()

    def keep_screenshot(self, name):
        if pictures:
            pathlib.Path(pictures).mkdir(parents=True, exist_ok=True)
            self.browser.driver.save_screenshot(str(pathlib.Path(pictures) / f"{name}.png"))
