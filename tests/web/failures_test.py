"""Failures: each shows a message with a remedy, and the page keeps working; the page also works offline."""
import json
import math
import pathlib
import shutil
import tempfile
import time
import unittest

from browser import Browser, Keys, patience
from host import Site
from page_test import PageTest, folder

keeps_workers = """
window.workers = [];
const Own = Worker;
window.Worker = class extends Own { constructor(...all) { super(...all); window.workers.push(this); } };
"""


class Failures(PageTest):
    scripts = (keeps_workers,)

    def kill(self, message):
        self.browser.plain("workers.at(-1).dispatchEvent(new ErrorEvent('error', { message: arguments[0] }))", message)

    def test_worker_that_dies_is_replaced(self):
        browser = self.browser
        for message, words in (("RuntimeError: unreachable", "crashed"), ("out of memory", "ran out of memory"),
                               ("RuntimeError: memory access out of bounds", "crashed"),
                               ("RuntimeError: Out of bounds memory access (evaluating 'a')", "crashed")):
            browser.open_scene("wave/rain", fresh=True)
            count = browser.plain("return workers.length")
            self.kill(message)
            browser.wait(f"workers.length > {count} && document.querySelector('.message-box.error')", "a new worker")
            self.assertIn(words, browser.messages())
            browser.wait_for_scene("wave/rain")
            browser.step(10)
            self.assertGreaterEqual(browser.do("return (await call('status')).steps"), 10)
            browser.plain("document.querySelectorAll('.message-box').forEach((one) => one.remove())")

    def test_walls_and_values_survive_a_crash(self):
        """The address has them; the second time the scene opens as first, because they may be what crashes it."""
        browser = self.browser
        browser.open_scene("wave/rain", fresh=True)
        browser.find(".tool input[value=wall]").click()
        browser.drag([browser.place(0.4, 0.4), browser.place(0.5, 0.5)])
        browser.rest()
        browser.do("""
          await (await load("run")).runAction("set", { changes: { damping: 0.02 }, merge_with_last: false });
        """)
        browser.wait_for_address("request.parameters?.damping === 0.02")
        made = "const scene = await call('scene', {}); return [scene.parameters?.damping ?? null, scene.actions?.length ?? 0];"
        before = browser.do(made)
        self.assertGreater(before[1], 0)
        for expected in (before, [None, 0]):
            browser.plain("document.getElementById('messages').replaceChildren()")
            count = browser.plain("return workers.length")
            self.kill("RuntimeError: memory access out of bounds")
            browser.wait(f"workers.length > {count} && document.querySelector('.message-box.error')", "a new worker")
            browser.wait_for_scene("wave/rain")
            self.assertEqual(browser.do(made), expected)
            self.assertEqual("what you have changed" in browser.messages(), expected == before)

    def test_lesson_is_restored_after_a_crash(self):
        browser = self.browser
        browser.open("#l=wave/two-slits")
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
        count = browser.plain("return workers.length")
        self.kill("RuntimeError: unreachable")
        browser.wait(f"workers.length > {count} && document.querySelector('.message-box.error')", "a new worker")
        self.assertEqual(browser.do("return (await call('lesson_look')).index"), 0)

    def test_damaged_states_and_other_files_are_rejected(self):
        browser = self.browser
        browser.open_scene("wave/rain", fresh=True)
        browser.restart()
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
        damaged = "as an image. Use a PNG or JPEG file."
        for name, kind, words in (("wall.png", "image/png", damaged), ("wall", "image/jpeg", damaged),
                                  ("own.toml", "", "only the desktop program takes presets")):
            browser.do("document.getElementById('messages').replaceChildren(); const { openFile } = await load('exports'); "
                       "await openFile(new File([new Uint8Array(900)], given[0], { type: given[1] }));", name, kind)
            self.assertIn(words, browser.messages())
        for name in ("cut", "turned", "empty", "text", "zeros"):
            with self.subTest(file=name):
                browser.plain("document.querySelectorAll('.message-box').forEach((one) => one.remove())")
                browser.do("const { openFile } = await load('exports'); await openFile(new "
                    "File([window.bad[given[0]]], 'a.perturb'));", name)
                words = browser.messages()
                self.assertGreater(len(words), 20, "no message")
                self.assertEqual(browser.steps(), steps, "the previous run is lost")
        browser.plain("document.querySelectorAll('.message-box').forEach((one) => one.remove())")
        browser.do("const { openFile } = await load('exports'); await openFile(new File([new Uint8Array(9)], 'a.h5'));")
        self.assertIn(".perturb", browser.messages())
        # The whole file continues to the same image as the run that it was saved from.
        browser.step(340)
        picture = browser.image_hash()
        browser.open_scene("wave/droplet")
        browser.pause()
        # (With reduced motion, an opened file starts paused.)
        browser.do("const { openFile } = await load('exports'); (await load('settings')).settings.calm = true; "
            "await openFile(new File([window.good], 'a.perturb'));")
        browser.wait_for_scene("wave/rain")
        self.assertEqual(browser.steps(), steps)
        browser.step(340)
        self.assertEqual(browser.image_hash(), picture)
        # Last, because the view keeps the colours.
        for text, words in (("0 0 0\n1 2\n", "own.csv:2: "), ("0 0 0\n255 0 9\n", "The view has the colours of own.csv")):
            browser.do("document.getElementById('messages').replaceChildren(); const { openFile } = await load('exports'); "
                       "await openFile(new File([given[0]], 'own.csv'));", text)
            self.assertIn(words, browser.messages())

    def test_opened_file_has_its_own_address(self):
        """The scene of the address can be chosen again, files can be dropped anywhere, and a link states what it lacks."""
        browser = self.browser
        drop = """
          const { bytes } = window.kept ??= await call("save");
          const data = new DataTransfer(), target = document.querySelector(given[0]);
          data.items.add(new File([bytes.slice(0)], "a.perturb"));
          const event = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
          const generation = run.generation;
          target.dispatchEvent(event);
          await until(() => run.generation > generation && location.hash === "#file");
          setPlaying(false);
          return [event.defaultPrevented, run.status.scene, document.documentElement.dataset.page];
        """
        browser.open_scene("wave/double-slit", fresh=True)
        browser.pause()
        browser.step(20)
        self.assertFalse(browser.do("return run.fromFile"))
        browser.do("window.kept = await call('save');")
        browser.open_scene("wave/rain")
        for place in ("#top", "#panel"):
            with self.subTest(place=place):
                self.assertEqual(browser.do(drop, place), [True, "wave/double-slit", "run"])
        browser.do("await (await load('dialogs')).openShare();")
        self.assertIn("file", browser.find("dialog .warning").text)
        browser.plain("document.querySelector('dialog').close()")
        # The opened run is still there behind the gallery; the scene of the same name starts fresh.
        browser.open("#scenes", fresh=False)
        browser.wait("document.documentElement.dataset.page === 'gallery'", "the gallery")
        browser.plain("history.back()")
        browser.wait("document.documentElement.dataset.page === 'run'", "the run again")
        self.assertGreaterEqual(browser.steps(), 20)
        browser.plain("location.hash = 's=wave/double-slit'")
        self.assertTrue(browser.do("return until(() => !run.fromFile)"))
        browser.pause()
        browser.do("await (await load('dialogs')).openShare();")
        self.assertEqual(browser.all("dialog .warning"), [])
        browser.plain("document.querySelector('dialog').close()")
        browser.open("#scenes", fresh=False)
        browser.wait("document.documentElement.dataset.page === 'gallery'", "the gallery")
        self.assertEqual(browser.do(drop, "#gallery .card"), [True, "wave/double-slit", "run"])
        # Also in a lesson, which it ends.
        browser.open("#l=membrane/convergence", fresh=False)
        browser.do("await until(() => run.lesson)")
        self.assertEqual(browser.do(drop, "#view"), [True, "wave/double-slit", "run"])
        self.assertIsNone(browser.do("return run.lesson"))

    def test_failed_frame_shows_the_reason(self):
        """The engine rejects an image of 100000 pixels; no other message reports it."""
        browser = self.browser
        browser.open_scene("wave/rain", fresh=True)
        browser.plain("const { style } = document.getElementById('view'); style.width = '100000px'; style.height = '3px';")
        browser.wait("/8192 pixels/.test(document.getElementById('messages').innerText)", "a sentence")
        self.assertFalse(browser.do("return run.playing"))
        browser.plain("document.getElementById('view').removeAttribute('style')")
        steps = browser.steps()
        browser.do("setPlaying(true); await until(async () => (await call('status')).steps > given[0]);", steps)
        browser.pause()

    def test_saved_image_has_screen_size_and_video_has_one_size(self):
        browser = self.browser
        browser.open_scene("wave/rain", fresh=True)
        browser.plain("""
          window.saved = new Map();
          HTMLAnchorElement.prototype.click = function () { window.saved.set(this.download.split(".").pop(), this.href); };
        """)
        # A 4K projector; and a video in a window that is resized, with images that become coarser.
        browser.resize(3840, 2160)
        self.addCleanup(browser.resize, *self.size)
        sizes = browser.do("""
          const { saveImage } = await load("exports");
          setPlaying(false);
          await settled();
          const canvas = document.getElementById("view");
          saveImage();
          await until(() => window.saved.has("png"));
          const image = await createImageBitmap(await (await fetch(window.saved.get("png"))).blob());
          return { picture: [image.width, image.height], screen: [canvas.clientWidth, canvas.clientHeight],
            painted: canvas.width };
        """)
        # Below the image the file has its caption and the colour bar (reading_test.py).
        self.assertEqual(sizes["picture"][0], sizes["screen"][0])
        self.assertGreater(sizes["picture"][1], sizes["screen"][1])
        self.assertLess(sizes["painted"], sizes["picture"][0], "the painted image is not smaller")
        browser.resize(900, 600)
        browser.do("""
          const { toggleVideo } = await load("exports"), { on } = await load("run");
          let count = 0;
          on("painted", () => ++count);
          window.pictures = async (more) => { const end = count + more; await until(() => count >= end); };
          const Own = MediaStream.prototype.getTracks;
          MediaStream.prototype.getTracks = function () { return (window.tracks = Own.call(this)); };
          await settled();
          toggleVideo();
          setPlaying(true);
          await pictures(10);
        """)
        browser.resize(700, 640)
        found = browser.do("""
          const { toggleVideo } = await load("exports");
          await pictures(20);
          toggleVideo();
          setPlaying(false);
          await until(() => window.saved.has("webm"));
          const video = document.createElement("video"), seen = [];
          video.muted = true;
          video.addEventListener("resize", () => seen.push([video.videoWidth, video.videoHeight]));
          video.src = window.saved.get("webm");
          let ended = false;
          video.addEventListener("ended", () => (ended = true));
          await video.play();
          const { duration } = video;
          await until(() => ended);
          return { seen, duration, end: video.currentTime, tracks: window.tracks.map((one) => one.readyState) };
        """)
        self.assertEqual(len(found["seen"]), 1, f"the video's frames have sizes {found['seen']}")
        self.assertEqual(set(found["tracks"]), {"ended"})
        # (A player clips the end to the last frame, which may be before the press of the button.)
        self.assertTrue(0 < found["end"] <= found["duration"] + 0.1, f"{found['end']} of {found['duration']} s")

    def test_saved_file_opens_when_dropped(self):
        browser = self.browser
        with tempfile.TemporaryDirectory() as downloads:
            browser.command("Browser.setDownloadBehavior", behavior="allow", downloadPath=downloads)
            browser.open_scene("wave/double-slit", fresh=True)
            browser.step(400)
            browser.do("const e = await load('exports'); e.saveImage(); await e.saveCurves(); await e.saveState(); "
                       "const { on } = await load('run'); let pictures = 0; on('painted', () => ++pictures); "
                       "e.toggleVideo(); setPlaying(true); await new Promise((done) => setTimeout(done, 1000)); "
                       "await until(() => pictures > 20); e.toggleVideo();")
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
            self.assertTrue(found[".csv"].read_bytes().isascii(), "a spreadsheet reads another encoding")
            self.assertEqual([row for row in rows if "0000000" in row], [], "digits of a conversion")
            self.assertTrue(found[".perturb"].name.startswith("perturb-wave-double-slit"))

    def test_closed_microphone_shows_the_reason(self):
        browser = self.browser
        browser.open_scene("membrane/chladni", fresh=True)
        for name, words in (("NotFoundError", "this device has no microphone. Connect one"),
                            ("NotReadableError", "the microphone does not open. Close programs"),
                            ("NotAllowedError", "does not let this page use the microphone. Allow it")):
            browser.plain("""
              document.querySelectorAll(".message-box").forEach((one) => one.remove());
              navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("", arguments[0]); };
            """, name)
            browser.click(".sing button")
            browser.wait("document.querySelector('.message-box.error')", "the reason")
            self.assertIn(words, browser.messages())
            self.assertEqual(browser.find(".sing button").text, "Sing")

    def test_stopped_run_shows_the_reason(self):
        browser = self.browser
        browser.open_scene("wave/droplet", fresh=True)
        # A time step beyond the limit: as a change it would be rejected, a link may contain it.
        browser.do("const { open } = await load('run'); "
                   "await open({ scene: 'wave/rain', parameters: { time_step: 1 } }); setPlaying(true); "
                   "await until(() => run.status.stop_reason && run.status.has_sought_remedy);")
        browser.wait("document.querySelector('.stop-message[role=alert]').checkVisibility()", "the card")
        self.keep_screenshot("trouble")
        mend = browser.find(".stop-message[role=alert] .accent")
        self.assertRegex(mend.text, r"^Set “Time step” to 0\.\d+ s and continue$")
        mend.click()
        time_step = browser.do("await until(() => !run.status.stop_reason && run.status.steps > 2000); "
                               "return run.status.parameters.time_step;")
        self.assertLessEqual(time_step, math.sqrt(0.5))


class Without(unittest.TestCase):
    """Browsers that lack a feature, and hosts that send no headers."""

    def host(self, place=folder, isolates=True, **options):
        """A host of the page in this folder, and a browser with these options for it."""
        site = Site(place, isolates)
        self.addCleanup(site.close)
        browser = Browser(site.address, **options)
        self.addCleanup(browser.close)
        return site, browser

    def copied_page(self):
        """A copy of the page's folder, for a test that changes it."""
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        return pathlib.Path(shutil.copytree(folder, pathlib.Path(place.name) / "page"))

    def page(self, script, hash_=""):
        _, browser = self.host(scripts=[script])
        browser.open(hash_)
        return browser

    def test_browser_without_webassembly_shows_the_reason(self):
        browser = self.page("delete window.WebAssembly;")
        self.assertIn("no WebAssembly", browser.plain("return document.body.innerText"))

    def test_browser_without_vectors_shows_the_reason(self):
        browser = self.page("WebAssembly.validate = () => false;")
        self.assertIn("SIMD", browser.plain("return document.body.innerText"))

    def test_browser_without_modules_shows_the_reason(self):
        """Browsers before 2020 cannot parse the modules; a plain script shows the reason."""
        other = self.copied_page()
        (other / "main.js").write_text("const a = ;\n" + (folder / "main.js").read_text())
        site, browser = self.host(other, options=["--accept-lang=de-DE"])
        browser.driver.get(site.address)
        browser.wait("document.querySelector('.failed')", "a sentence")
        words = browser.find("#start-words").text
        self.assertRegex(words, "Firefox" if browser.plain("return navigator.language").startswith("en") else "zu alt")
        self.assertIn("Firefox 114" if "old" in words else "Firefox ab 114", words)

    def test_browser_without_module_workers_or_packed_links_shows_the_reason(self):
        """Firefox before 114 has no module workers, and before 113 no compression of links."""
        browser = self.page("const Own = Worker; window.Worker = class extends Own { constructor(url, options) { "
                            "super(url, { name: options.name }); } };")
        browser.wait("document.querySelector('.failed')", "a sentence")
        self.assertIn("Firefox 114", browser.find("#start-words").text)
        browser.close()
        browser = self.page("""for (const name of ["CompressionStream", "DecompressionStream"]) {
            const Own = window[name];
            window[name] = class extends Own { constructor(kind) {
              if (kind === "deflate-raw") throw new TypeError("Unsupported compression format: 'deflate-raw'");
              super(kind);
            } };
          }""", "#z=q1YqTk7NS1WyUiovSyxKVdKtNbG0BAA")
        browser.wait("document.querySelector('.message-box.error')", "a sentence")
        self.assertIn("too old for links", browser.messages())
        browser.open_scene("wave/rain")
        browser.do("await call('set', { changes: { damping: 0.02 }, merge_with_last: false }); "
                   "document.getElementById('messages').replaceChildren(); await (await load('dialogs')).openShare();")
        self.assertIn("too old for links", browser.messages())

    def test_page_in_use_does_not_reload_itself(self):
        """On a first visit to a host without headers, the service worker enables threads by a reload."""
        _, browser = self.host(isolates=False, scripts=["""
          const own = ServiceWorkerContainer.prototype.register;
          ServiceWorkerContainer.prototype.register = async function (...all) {
            await new Promise((go) => (window.letGo = go));
            return own.apply(this, all);
          };
        """])
        browser.open("#l=membrane/convergence")
        browser.wait("document.querySelector('.lesson-title')?.checkVisibility() && Boolean(window.letGo)", "the lesson")
        browser.find("#lesson-answer").send_keys("8")
        browser.plain("window.mark = 1; letGo()")
        browser.wait("navigator.serviceWorker.controller", "the service worker")
        time.sleep(0.5)  # a pending reload would have started
        self.assertEqual(browser.plain("return window.mark"), 1, "the page was reloaded")
        self.assertEqual(browser.find("#lesson-answer").get_attribute("value"), "8")
        # The page says that one reload enables threads: in the dialog, which phones and embedded pages have, too.
        if browser.plain("return navigator.hardwareConcurrency") > 1:
            browser.plain("document.activeElement.blur()")
            browser.keys(Keys.F7)
            browser.wait("/one thread. Reload the page/.test(document.querySelector('dialog .device')?.textContent)",
                "the note about threads")

    def test_single_thread_is_shown_with_its_reason(self):
        # If the files of the threaded engine are missing, the page uses one thread.
        browser = self.page("""
          const post = Worker.prototype.postMessage;
          Worker.prototype.postMessage = function (data, ...more) {
            if (data.name === "load" && data.request.threads === 0) data.request.base += "nowhere/";
            return post.call(this, data, ...more);
          };
        """, "#s=wave/rain")
        browser.wait_for_scene("wave/rain")
        self.assertEqual(browser.do("return run.threads"), 1)
        if browser.plain("return navigator.hardwareConcurrency") < 2:
            return
        for width, height in ((1280, 720), (360, 740)):
            browser.resize(width, height)
            browser.open_menu()
            browser.click(".transport [aria-label^='About this scene']")
            browser.wait("/1 thread.*memory is short/.test(document.querySelector('dialog .device')?.textContent)",
                "the reason")
            browser.keys(Keys.ESCAPE)
        # Embedded in another page, on a host without headers, without controls.
        site = Site(folder, isolates=False)
        self.addCleanup(site.close)
        browser.driver.get(f"{site.address}files.json")
        browser.plain("document.body.innerHTML = '<iframe width=600 height=400 src=\"./?controls=#s=wave/rain\"></iframe>'")
        inner = "document.querySelector('iframe').contentDocument.querySelector('.pace-tag')"
        browser.wait(f"{inner}?.checkVisibility() && /1 thread/.test({inner}.innerText)", "word of the thread")
        self.assertIn("embedded", browser.plain(f"return {inner}.querySelector('[title]').title"))

    def test_service_worker_installs_although_a_file_is_missing(self):
        other = self.copied_page()
        for name in ("thumbnails/wave-rain.webp", "languages/de.po"):
            (other / name).rename(other / f"{pathlib.Path(name).name}.away")
        site, browser = self.host(other, isolates=False)
        browser.open("#s=wave/rain")
        browser.wait("window.crossOriginIsolated && navigator.serviceWorker.controller", "the service worker's headers")
        kept = lambda: browser.do("let all = 0; for (const name of await caches.keys()) all += (await (await "
            "caches.open(name)).keys()).length; return all;")
        asked = len(json.loads((other / "files.json").read_text())["files"])
        self.assertEqual(kept(), asked - 2)
        site.close()
        browser.open("#s=wave/droplet")
        browser.wait_for_scene("wave/droplet")

    def new_version(self, place):
        """Makes the page in this folder another one: its worker understands no call of the old page."""
        worker, service, files = (place / name for name in ("worker.js", "service-worker.js", "files.json"))
        old = json.loads(files.read_text())["version"]
        worker.write_text(worker.read_text().replace(old, "new").replace("frame: takeFrame", "newFrame: takeFrame"))
        (place / "engine_client.js").write_text((place / "engine_client.js").read_text().replace(old, "new"))
        service.write_text(service.read_text().replace(old, "new"))
        files.write_text(files.read_text().replace(old, "new"))

    def test_open_tab_keeps_its_version_after_an_update_on_the_host(self):
        other = self.copied_page()
        _, browser = self.host(other)
        browser.open("#s=wave/rain")
        browser.wait_for_scene("wave/rain")
        browser.wait("navigator.serviceWorker.controller", "the service worker")
        browser.do("await navigator.serviceWorker.ready; window.mark = 1;")
        self.new_version(other)
        first = browser.driver.current_window_handle
        browser.driver.switch_to.new_window("tab")
        browser.open("#s=wave/droplet")
        browser.wait_for_scene("wave/droplet")
        waits = "(await navigator.serviceWorker.getRegistration()).waiting"
        self.assertTrue(browser.do(f"return until(async () => {waits});"))
        browser.wait("/new version/.test(document.getElementById('messages').innerText)", "word of it")
        # Both tabs go on, also with a new engine.
        second = browser.driver.current_window_handle
        for tab, scene in ((first, "wave/rain"), (second, "wave/droplet")):
            browser.driver.switch_to.window(tab)
            browser.do("await (await load('run')).startAgain();")
            browser.wait_for_scene(scene)
            browser.step(5)
            self.assertEqual(browser.all(".message-box.error"), [])
        # The last tab gets the new version by a reload.
        browser.driver.switch_to.window(first)
        browser.driver.close()
        browser.driver.switch_to.window(second)
        browser.driver.refresh()
        # (Between two documents there is none.)
        browser.wait("document.documentElement?.dataset.engine === 'ready'", "the page")
        self.assertIn('"new"', browser.do("return (await fetch('engine_client.js')).text()"))
        self.assertEqual(browser.plain("return location.hash"), "#s=wave/droplet")

    def test_update_on_a_host_without_service_worker_is_reported(self):
        other = self.copied_page()
        _, browser = self.host(other, scripts=["delete Navigator.prototype.serviceWorker;"])
        browser.open("#s=wave/rain")
        browser.wait_for_scene("wave/rain")
        self.new_version(other)
        browser.do("await (await load('run')).startAgain();")
        self.assertIn("Reload it", browser.messages())
        # Whatever is chosen now says so again, and does nothing else.
        browser.plain("location.hash = 's=wave/droplet'")
        browser.wait("document.documentElement.dataset.page === 'gallery'", "the gallery")
        browser.wait("/Reload it/.test(document.getElementById('messages').innerText)", "the reason")

    def test_service_worker_adds_headers_and_works_offline(self):
        """On a host without headers the service worker adds them and enables threads; then the host is switched off."""
        site, browser = self.host(isolates=False)
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
