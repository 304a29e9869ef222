"""What goes wrong ends in a sentence with a remedy, and the rest goes on; and the page works without a network."""
import json
import pathlib
import tempfile
import time
import unittest

from browser import Browser, patience
from host import Site
from page_test import PageTest, folder

keeps_workers = """
window.workers = [];
const Own = Worker;
window.Worker = class extends Own { constructor(...all) { super(...all); window.workers.push(this); } };
"""


class Trouble(PageTest):
    scripts = (keeps_workers,)

    def kill(self, message):
        self.browser.plain("workers.at(-1).dispatchEvent(new ErrorEvent('error', { message: arguments[0] }))", message)

    def test_a_worker_that_dies_is_replaced(self):
        browser = self.browser
        browser.open_scene("wave/rain", fresh=True)
        for message, words in (("RuntimeError: unreachable", "started anew"), ("out of memory", "memory")):
            count = browser.plain("return workers.length")
            self.kill(message)
            browser.wait(f"workers.length > {count} && document.querySelector('.note-box.error')", "a new worker")
            self.assertIn(words, browser.notes())
            browser.wait_for_scene("wave/rain")
            browser.step(10)
            self.assertGreaterEqual(browser.do("return (await call('facts')).steps"), 10)
            browser.plain("document.querySelectorAll('.note-box').forEach((one) => one.remove())")

    def test_a_lesson_stands_again(self):
        browser = self.browser
        browser.open("#l=wave/two-slits")
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
        count = browser.plain("return workers.length")
        self.kill("RuntimeError: unreachable")
        browser.wait(f"workers.length > {count} && document.querySelector('.note-box.error')", "a new worker")
        self.assertEqual(browser.do("return (await call('lesson_look')).index"), 0)

    def test_damaged_states_and_other_files_are_refused(self):
        browser = self.browser
        browser.open_scene("wave/rain", fresh=True)
        browser.anew()
        browser.step(60)
        steps = browser.steps()
        browser.do("""
          const { openFile } = await load("exports");
          const { bytes } = await call("save");
          window.good = bytes;
          const cut = new Uint8Array(bytes.slice(0, bytes.byteLength / 2)), turned = new Uint8Array(bytes.slice(0));
          turned[turned.length >> 1] ^= 64;
          window.bad = { cut, turned, empty: new Uint8Array(0), text: new TextEncoder().encode("hello"),
            zeros: new Uint8Array(5000) };
        """)
        for name in ("cut", "turned", "empty", "text", "zeros"):
            with self.subTest(file=name):
                browser.plain("document.querySelectorAll('.note-box').forEach((one) => one.remove())")
                browser.do("const { openFile } = await load('exports'); await openFile(new "
                    "File([window.bad[given[0]]], 'a.perturb'));", name)
                words = browser.notes()
                self.assertGreater(len(words), 20, "no sentence")
                self.assertEqual(browser.steps(), steps, "the run of before is gone")
        browser.plain("document.querySelectorAll('.note-box').forEach((one) => one.remove())")
        browser.do("const { openFile } = await load('exports'); await openFile(new File([new Uint8Array(9)], 'a.h5'));")
        self.assertIn(".perturb", browser.notes())
        # The whole file goes on to the same picture as the run that it was saved from.
        browser.step(340)
        picture = browser.picture()
        browser.open_scene("wave/droplet")
        browser.pause()
        # (Where movement is not wanted, what is opened waits.)
        browser.do("const { openFile } = await load('exports'); (await load('settings')).settings.calm = true; "
            "await openFile(new File([window.good], 'a.perturb'));")
        browser.wait_for_scene("wave/rain")
        self.assertEqual(browser.steps(), steps)
        browser.step(340)
        self.assertEqual(browser.picture(), picture)

    def test_a_file_is_saved_and_dropped(self):
        browser = self.browser
        with tempfile.TemporaryDirectory() as downloads:
            browser.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=downloads)
            browser.open_scene("wave/double-slit", fresh=True)
            browser.step(400)
            browser.do("const e = await load('exports'); e.savePicture(); await e.saveCurves(); await e.saveState(); "
                       "const { on } = await load('run'); let pictures = 0; on('picture', () => ++pictures); "
                       "e.toggleFilm(); setPlaying(true); await new Promise((done) => setTimeout(done, 1000)); "
                       "await until(() => pictures > 20); e.toggleFilm();")
            end, found = time.monotonic() + patience, {}
            while time.monotonic() < end and len(found) < 4:
                found = {path.suffix: path for path in pathlib.Path(downloads).iterdir() if path.suffix != ".crdownload"}
                time.sleep(0.05)
            self.assertEqual(sorted(found), [".csv", ".perturb", ".png", ".webm"])
            self.assertTrue(found[".png"].read_bytes().startswith(b"\x89PNG"))
            self.assertTrue(found[".webm"].read_bytes().startswith(b"\x1a\x45\xdf\xa3"))
            rows = found[".csv"].read_text().splitlines()
            self.assertEqual(rows[0], "curve,x,x_unit,y,y_unit,kind")
            self.assertGreater(len(rows), 100)
            self.assertTrue(found[".perturb"].name.startswith("perturb-wave-double-slit"))

    def test_a_run_that_must_stop_says_why(self):
        browser = self.browser
        browser.open_scene("wave/droplet", fresh=True)
        browser.do("await call('set', { changes: { time_step: 2 }, goes_on: false }); setPlaying(true); "
                   "await until(() => run.facts.trouble);")
        browser.wait("document.querySelector('.trouble[role=alert]').checkVisibility()", "the card")
        self.keep_picture("trouble")
        browser.find(".trouble[role=alert] .accent").click()
        self.assertTrue(browser.do("return until(async () => (await call('facts')).trouble === '');"))


class Without(unittest.TestCase):
    """A browser that lacks something, or a host that gives no headers."""

    def page(self, script, hash_=""):
        site = Site(folder)
        self.addCleanup(site.close)
        browser = Browser(site.address, scripts=[script])
        self.addCleanup(browser.close)
        browser.open(hash_)
        return browser

    def test_webassembly(self):
        browser = self.page("delete window.WebAssembly;")
        self.assertIn("no WebAssembly", browser.plain("return document.body.innerText"))

    def test_vectors(self):
        browser = self.page("WebAssembly.validate = () => false;")
        self.assertIn("SIMD", browser.plain("return document.body.innerText"))

    def test_headers_and_then_without_a_network(self):
        """On a host without headers the service worker gives them, so that threads work; then the host goes away."""
        site = Site(folder, isolates=False)
        browser = Browser(site.address)
        self.addCleanup(browser.close)
        browser.open("#s=wave/rain")
        browser.wait("window.crossOriginIsolated && navigator.serviceWorker.controller", "the service worker's headers")
        browser.wait_for_scene("wave/rain")
        self.assertGreaterEqual(browser.do("return run.threads"),
            min(2, browser.plain("return navigator.hardwareConcurrency")))
        asked = json.loads((folder / "files.json").read_text())["files"]
        kept = browser.do("let all = 0; for (const name of await caches.keys()) all += (await (await "
            "caches.open(name)).keys()).length; return all;")
        self.assertEqual(kept, len(asked))
        site.close()
        browser.open("#s=lbm/cylinder")
        browser.wait_for_scene("lbm/cylinder")
        browser.step(20)
        browser.open("#scenes", fresh=False)
        browser.plain("document.querySelector('#gallery footer').scrollIntoView()")
        self.assertEqual(browser.plain("return document.cookie"), "")


if __name__ == "__main__":
    unittest.main()
