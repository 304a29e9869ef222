"""Links to scenes: each gives the same image in every browser, or shows why it cannot be opened."""
import json
import unittest

from browser import Browser, Keys, packed
from page_test import PageTest


def link_of(browser):
    return browser.do("const { packScene } = await load('link'); return '#' + await packScene(await call('scene', "
        "{}));")


def stroke(k):
    """Returns the action of a short wall, further to the right with each number up to a thousand."""
    return {"kind": "wall-line", "x0": 0.1 + 8e-4 * k, "y0": 0.5, "x1": 0.1 + 8e-4 * k, "y1": 0.51, "thickness": 1}


# The intensity along the screen, and the positions of the bright fringes: maxima above a tenth of the highest.
fringes = """
  const { curves } = await call("look", { curves: true });
  const points = curves.find((one) => one.id === "screen").points, high = Math.max(...points.map(([, y]) => y));
  const tops = points.filter(([, y], i) => i > 0 && i + 1 < points.length && y > 0.1 * high && y >= points[i - 1][1] &&
    y > points[i + 1][1]).map(([x]) => x);
  return { points, tops };
"""
run_length = 2600  # steps: as long as the lesson about the same slits waits


class Links(PageTest):
    def test_link_gives_the_same_image_every_time(self):
        browser = self.browser
        link = packed(json.dumps({"scene": "wave/rain", "seed": 11, "parameters": {"damping": 0.02},
                                  "view": {"quantity": "velocity", "camera": {"center": [0.4, 0.6], "zoom": 1.5}}}))
        pictures = []
        for _ in range(2):
            browser.open(link)
            browser.wait_for_scene("wave/rain")
            browser.do("setPlaying(false); await call('restart', {});")
            browser.step(300)
            pictures.append(browser.image_hash())
            self.assertEqual(browser.do("return run.status.parameters.damping"), 0.02)
        self.assertEqual(*pictures)
        browser.open("#s=wave/rain", fresh=False)
        browser.do("await until(() => run.status.parameters.damping !== 0.02); setPlaying(false); await call('restart', {});")
        browser.step(300)
        self.assertNotEqual(browser.image_hash(), pictures[0], "the link changes nothing")

    def test_drawn_third_slit_gives_the_same_fringes_in_another_browser(self):
        browser = self.browser
        browser.open_scene("wave/double-slit", fresh=True)
        browser.pause()
        browser.do("await call('restart', {});")
        browser.step(run_length)
        two = browser.do(fringes)
        # The tool Wall erases with the right button: a third gap in the middle, nearly as wide as the others.
        browser.find(".tool input[value=wall]").click()
        self.assertEqual(browser.do("return run.tool"), "wall")
        browser.drag([browser.place(x, y) for x, y in ((0.3, 0.488), (0.3, 0.512), (0.305, 0.512), (0.305, 0.488),
            (0.311, 0.488), (0.311, 0.512))],
                     button=2)
        browser.rest()
        self.assertEqual(browser.do("return run.status.next_undo"), "Wall")
        browser.do("await call('restart', { keep_built: true });")
        browser.step(run_length)
        three = browser.do(fringes)
        self.keep_screenshot("third-slit")
        link = link_of(browser)
        self.assertLess(len(link), 2000, "the link is longer than messengers take")

        other = Browser(self.site.address)  # a separate profile: only the link is shared
        try:
            other.open(link)
            other.wait_for_scene("wave/double-slit")
            other.do("setPlaying(false); await call('restart', { keep_built: true });")
            other.step(run_length)
            elsewhere = other.do(fringes)
        finally:
            other.close()
        self.assertEqual(three["tops"], elsewhere["tops"])
        self.assertEqual(three["points"], elsewhere["points"])
        # The gap is there: the central intensity of three slits is higher, by theory up to (3/2)² of two.
        middle = lambda found: max(y for x, y in found["points"] if 250 < x < 262)
        self.assertGreater(middle(three), 1.3 * middle(two))
        whole = lambda found: [round(x) for x in found["tops"]]
        print(f"bright fringes of two slits at {whole(two)}, of three at {whole(three)}, elsewhere at {whole(elsewhere)}; "
              f"link of {len(link)} letters")

    def error_of(self, link, query="", fresh=True):
        """Returns the error message of a link that starts the page (fresh) or is followed in the open page."""
        browser = self.browser
        if not fresh:
            browser.plain("document.getElementById('messages').replaceChildren()")
        browser.open(link, query, fresh)
        browser.wait("document.querySelector('.message-box.error')", "a sentence")
        return browser.messages()

    def test_bad_links_show_an_error_and_the_page_still_works(self):
        browser = self.browser
        bad = {
            "#s=wave/nowhere": "nowhere",
            "#s=nothing": "nothing",
            "#l=wave/nothing": "nothing",
            "#s=../../etc/passwd.toml": "",
            "#s=%": "damaged",
            "#l=%E0%A4%A": "damaged",
            "#verify=%": "damaged",
            "#s=" + 100_000 * "a": "damaged",
            "#l=" + 100_000 * "a": "damaged",
            "#verify=" + 100_000 * "a": "damaged",
            packed(json.dumps({"scene": 100_000 * "a"})): "",
            packed(json.dumps({"scene": "wave/rain", "view": {"quantity": 100_000 * "a b"}})): "",
            packed(json.dumps({"scene": "wave/rain", "actions": 10_001 * [stroke(0)]})):
                "10001 strokes",
            "#file": "Open the file again",
            "#q=1": "Choose a scene",
            "#z=AAAA": "damaged",
            "#z=%%%": "damaged",
            packed("[1, 2]"): "damaged",
            packed("x" * 5_000_000): "damaged",
            packed(json.dumps({"scene": "wave/rain", "parameters": {"wave_speed": 1e9}})): "wave_speed|Wave speed",
            packed(json.dumps({"scene": "wave/rain", "parameters": {"no_such": 1}})): "no_such",
            packed(json.dumps({"scene": "wave/rain", "actions": [{"kind": "explode", "x": 1}]})): "explode",
            packed(json.dumps({"scene": "wave/rain", "actions": "x"})): "",
            packed(json.dumps({"scene": "wave/rain", "width": 1e9})): "",
            packed(json.dumps({"scene": "wave/rain", "size": [64, 64]})): "size",
            packed(json.dumps({"scene": "wave/rain", "view": {"camera": {"roll": 1}}})): "roll",
            packed('{"scene": "wave/rain", "view": ' + 10_000 * "[" + 10_000 * "]" + "}"): "damaged",
            packed(json.dumps({"scene": "wave/rain", "view": {"quantity": "<img src=x onerror=alert(1)>"}})): "",
        }
        # One of each kind as the page starts; it then follows its address in the same way as later.
        started_with = {"#s=wave/nowhere", "#l=wave/nothing", "#file", "#z=AAAA"}
        for link in sorted(bad, key=lambda link: link not in started_with):
            with self.subTest(link=link[:60]):
                words, named = self.error_of(link, fresh=link in started_with), bad[link]
                self.assertTrue(not named or any(word in words for word in named.split("|")), words)
                self.assertGreater(len(words), 20)
                self.assertLess(len(words), 1000, "the message fills the page")
                self.assertEqual(browser.plain("return document.documentElement.dataset.page"), "gallery")
                self.assertEqual(browser.plain("return document.querySelectorAll('#messages img').length"), 0)
        browser.open_scene("wave/rain")
        self.assertEqual(browser.do("return run.status.stop_reason"), "")

    def test_link_with_many_strokes_shows_progress_and_can_be_cancelled(self):
        browser = self.browser
        strokes = [stroke(k) for k in range(1000)]
        browser.open_scene("wave/droplet", fresh=True)
        browser.do("window.shares = []; (await load('run')).on('opening', (share) => window.shares.push(share));")
        browser.plain("location.hash = arguments[0]", packed(json.dumps({"scene": "wave/rain", "actions": strokes})))
        browser.wait_for_scene("wave/rain")
        shares = browser.plain("return window.shares")
        self.assertGreater(len(shares), 0)
        self.assertEqual(shares, sorted(shares))
        # One that takes minutes: to leave it, by the button or otherwise, cancels it at once.
        link = packed(json.dumps({"scene": "lbm/airfoil", "actions": [stroke(k % 1000) for k in range(9999)]}))
        for leave in ("document.querySelector('.opening button').click()", "history.back()", "location.hash = 'verify'"):
            with self.subTest(leave=leave):
                browser.open_scene("wave/droplet")
                browser.open("#scenes", fresh=False)
                browser.plain("location.hash = arguments[0]", link)
                browser.wait("document.querySelector('.opening progress')?.value > 0", "its progress")
                before = browser.do("return run.generation")
                browser.plain(leave)
                browser.wait("document.documentElement.dataset.page === 'gallery' && !document.querySelector('.opening')",
                    "the gallery")
                browser.plain("document.querySelector('dialog[open]')?.close()")
                browser.open_scene("wave/rain")
                self.assertEqual(browser.do("return run.generation"), before + 1, "the cancelled scene was opened")

    def test_bad_link_keeps_the_current_run(self):
        browser = self.browser
        browser.open_scene("wave/rain", fresh=True)
        browser.plain("location.hash = 's=wave/nowhere'")
        browser.wait("document.querySelector('.message-box.error')", "a sentence")
        self.assertEqual(browser.do("return (await call('status')).scene"), "wave/rain")

    def test_embedded_page_shows_the_chosen_parts(self):
        browser = self.browser
        browser.open("#s=wave/rain", query="?controls=play,tools")
        browser.wait_for_scene("wave/rain")
        seen = lambda selector: any(one.is_displayed() for one in browser.all(selector))
        self.assertTrue(seen(".transport") and seen(".tool"))
        self.assertFalse(seen(".tabs") or seen(".color-bar") or seen(".scene-select") or seen("nav"))
        browser.open("#s=wave/rain", query="?controls=")
        browser.wait_for_scene("wave/rain")
        self.assertFalse(seen("#panel") or seen(".transport"))
        # Keys do not leave the scene that the teacher chose, except where the choice of scenes is shown.
        browser.keys("g", "]", "[")
        browser.do("await settled(); await settled();")
        self.assertEqual([browser.plain("return document.documentElement.dataset.page"), browser.do(
            "return run.status.scene")], ["run", "wave/rain"])
        browser.open("#s=wave/rain", query="?controls=scene")
        browser.wait_for_scene("wave/rain")
        browser.keys("]")
        self.assertTrue(browser.do("return until(() => run.status.scene !== 'wave/rain')"))

    def test_embedded_page_without_status_bar_shows_the_pace(self):
        browser = self.browser
        browser.open("#s=wave/rain", query="?controls=")
        browser.wait_for_scene("wave/rain")
        seen = lambda: browser.plain("const tag = document.querySelector('.pace-tag'); "
                                     "return tag.checkVisibility() ? tag.innerText : ''")
        browser.do("const { emit } = await load('run'); run.threads = 1; run.fewThreads = 'host'; emit('engine');")
        self.assertIn("1 thread", seen())
        browser.do("setPlaying(true); pace.setStepsPerFrame(1 << 20);")
        browser.wait("/of .* steps per second/.test(document.querySelector('.pace-tag').innerText)", "the pace")
        browser.do("run.fewThreads = ''; pace.setStepsPerFrame(1 / 60);")
        browser.wait("!document.querySelector('.pace-tag').innerText", "the end of that word")

    def test_home_shows_the_whole_domain_of_a_zoomed_link(self):
        browser = self.browser
        browser.open(packed(json.dumps({"scene": "wave/rain", "view": {"camera": {"center": [0.4, 0.6], "zoom": 3}}})))
        browser.wait_for_scene("wave/rain")
        self.assertEqual(browser.do("return run.status.view.camera.zoom"), 3)
        browser.keys(Keys.HOME)
        self.assertTrue(browser.do("return until(() => run.status.view.camera.zoom === 1 && "
                                   "run.status.view.camera.center[0] === 0.5)"))

    def test_closing_the_checks_returns_to_the_previous_page(self):
        """The checks are opened by a link from another site; closing them stays in the page."""
        browser = self.browser
        browser.driver.get("about:blank")
        browser.plain("location.href = arguments[0]", f"{browser.address}#verify=particles")
        browser.wait("document.querySelector('dialog[open] .checks')", "every check")
        self.assertNotIn("", browser.plain("return [...document.querySelectorAll('.checks th')].map((one) => one.innerText)"))
        # By keys, while the checks are computed: another simulation, the table, leaving the page.
        chosen = browser.plain("const one = document.querySelector('dialog select'); one.focus(); return one.value")
        browser.keys(Keys.ARROW_UP)
        self.assertNotEqual(browser.plain("return document.querySelector('dialog select').value"), chosen)
        browser.wait("/Computing|checks pass/.test(document.querySelector('dialog [role=status]').textContent)", "others")
        browser.keys(Keys.TAB)
        self.assertTrue(browser.plain("return document.activeElement.matches('.table-scroll')"))
        browser.keys(Keys.ESCAPE)
        browser.wait("!document.querySelector('dialog')", "the end of the dialog")
        browser.do("await frame(); await frame();")
        self.assertTrue(browser.driver.current_url.endswith("/#scenes"), browser.driver.current_url)
        self.assertEqual(browser.plain("return document.documentElement.dataset.page"), "gallery")

    def test_error_is_shown_in_the_language_of_the_page(self):
        browser = self.browser
        for link, words in {"#s=x.toml": "Eine Szene nennen", "#s=%": "beschädigt", "#q=1": "Szene"}.items():
            with self.subTest(link=link):
                self.error_of(link, query="?language=de", fresh=link == "#s=x.toml")
                browser.wait(f"document.getElementById('messages').innerText.includes('{words}')", f"{words}, in German")


if __name__ == "__main__":
    unittest.main()
