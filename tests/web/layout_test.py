"""Layout from a phone to a projector: nothing extends over the edge, and text is readable."""
import unittest

from page_test import PageTest

sizes = {"phone": (360, 740, True), "phone-wide": (740, 360, True), "tablet": (820, 1180, True),
    "laptop": (1280, 720, False),
         "zoom-200": (640, 360, False), "reflow": (320, 640, False), "projector": (3840, 2160, False)}

# Elements with text whose contrast is below WCAG 2.2 AA (4.5, and 3 for large letters), elements that extend over the
# window's edge, and controls smaller than 24 pixels.
measure = """
const luminance = (rgb) => { const [r, g, b] = rgb.map((c) =>
  { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
const parse = (text) => (text.match(/[\\d.]+/g) ?? []).map(Number);
const behind = (node) => {
  for (let at = node; at; at = at.parentElement) {
    const color = parse(getComputedStyle(at).backgroundColor);
    if (color.length === 3 || color[3] > 0.8) return color.slice(0, 3);
  }
  return parse(getComputedStyle(document.body).backgroundColor).slice(0, 3);
};
const told = [];
const shown = (node) => node.checkVisibility({ visibilityProperty: true }) && !node.closest("[aria-hidden=true]");
for (const node of document.querySelectorAll("body *")) {
  if (!shown(node) || node.closest(".visually-hidden, .skip")) continue;
  const box = node.getBoundingClientRect();
  if (!box.width || !box.height) continue;
  const scrolls = node.closest(".table-scroll, .status");
  if (box.right > innerWidth + 1 && !scrolls && !node.matches("canvas, .ring")) told.push(["over the edge",
    node.outerHTML.slice(0, 100), box.right]);
  if (node.matches("button, select, input, a") && !node.closest("p, footer, .dialog-body") &&
    (box.width < 23.5 || box.height < 23.5) &&
      !node.matches("input[type=checkbox], input[type=radio]"))
    told.push(["too small", node.outerHTML.slice(0, 100), [box.width, box.height]]);
  const text = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
  if (!text || node.disabled || node.matches("option, :disabled + span")) continue;
  const style = getComputedStyle(node), a = luminance(parse(style.color).slice(0, 3)), b = luminance(behind(node));
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), large = parseFloat(style.fontSize) >= 24;
  if (ratio < (large ? 3 : 4.5)) told.push(["contrast", node.outerHTML.slice(0, 100), ratio.toFixed(2)]);
}
if (document.documentElement.scrollWidth > innerWidth +
  1) told.push(["the page scrolls sideways", document.documentElement.scrollWidth, innerWidth]);
const ids = [...document.querySelectorAll("[id]")].map((node) => node.id);
for (const id of new Set(ids)) if (ids.filter((one) => one === id).length > 1) told.push(["an id twice", id, 0]);
for (const heading of document.querySelectorAll("th")) if (shown(heading) && !heading.innerText.trim()) told.push([
  "an empty table heading", heading.outerHTML, heading.closest("table").className]);
for (const image of document.querySelectorAll("img:not([alt])")) told.push(["an image without alt", image.outerHTML,
  0]);
return told;
"""


# Parts of the page that any of these boxes covers.
covered = """
const boxes = [...document.querySelectorAll(given[0])].filter((one) => one.checkVisibility());
if (!boxes.length) throw new Error(`no ${given[0]}`);
return given[1].filter((which) => boxes.some((box) => [...document.querySelectorAll(which)].some((part) => {
  if (!part.checkVisibility()) return false;
  const [a, b] = [box, part].map((one) => one.getBoundingClientRect()), limit = box.closest("#messages");
  const top = limit ? Math.max(a.top, limit.getBoundingClientRect().top) : a.top;
  return Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(top, b.top) > 1;
})));
"""
# Buttons and fields that have moved while the numbers changed, twenty times.
moved = """
const { on, off } = await load("run"), places = new Map(), told = new Set();
let readings = 0;
const look = () => {
  ++readings;
  for (const node of document.querySelectorAll("button, input, select, summary")) {
    const box = node.getBoundingClientRect(), now = `${Math.round(box.left)}, ${Math.round(box.top)}`;
    if (!node.checkVisibility() || box.bottom < 0 || box.top > innerHeight) continue;
    if ((places.get(node) ?? now) !== now && !node.matches(".past *, .handle"))
      told.add(`${node.outerHTML.slice(0, 80)}: ${places.get(node)} to ${now}`);
    places.set(node, now);
  }
};
on("diagnostics", look);
await until(() => readings >= 20);
off("diagnostics", look);
return [...told];
"""
long_note = "Number of fibers: 40 of 700, as many as this computer can run smoothly. " * 3


class Layout(PageTest):
    def look(self, name):
        self.browser.do("for (const note of document.querySelectorAll('.message-box')) note.remove(); await settled();")
        self.keep_screenshot(name)
        self.assertEqual(self.browser.plain(measure), [], name)

    def test_messages_do_not_cover_the_view_or_the_bar(self):
        browser = self.browser
        browser.open_scene("lbm/cylinder", fresh=True)
        browser.pause()
        self.addCleanup(browser.resize, *self.size)
        self.addCleanup(browser.plain, "document.getElementById('more-rows')?.remove()")
        browser.plain("const style = document.createElement('style'); style.id = 'more-rows'; document.head.append(style);")
        # Readings as they are, in a row each, and in rows of several lines, as with long names.
        for rows in ("", ".readings div { flex-basis: 100%; }", ".readings div { flex-basis: 100%; height: 4rem; }"):
            browser.plain("document.getElementById('more-rows').textContent = arguments[0]", rows)
            for width, height, touch in ((1920, 1080, False), (1366, 641, False), (740, 360, True), (360, 740, True),
                                         (390, 664, True), (360, 560, True), (320, 568, True)):
                with self.subTest(rows=rows, size=(width, height)):
                    browser.resize(width, height, touch)
                    browser.do("document.getElementById('messages').replaceChildren(); scrollTo(0, 0); await settled(); "
                               "const { showMessage } = await load('run'); showMessage(given[0]); "
                               "showMessage('A', 'error'); await settled();", long_note)
                    self.keep_screenshot(f"messages-{len(rows)}-{width}x{height}")
                    parts = [".stage", ".readings", ".transport", ".status", "#top"]
                    self.assertEqual(browser.do(covered, ".message-box", parts), [])
                    # Neither do these parts overlap, and the view stays.
                    ends = browser.plain("""
                      return [".stage", ".readings", ".transport", "#panel"].map((name) => document.querySelector(name))
                        .filter((part) => part.checkVisibility()).map((part) => part.getBoundingClientRect())
                        .filter((box) => box.left < 1).map((box) => [box.top, box.bottom]);
                    """)
                    for (_, end), (begin, _) in zip(ends, ends[1:]):
                        self.assertLess(end, begin + 1)
                    self.assertGreater(ends[0][1] - ends[0][0], 100)
        browser.plain("document.getElementById('more-rows').remove()")
        # Nor do they lie on what the panels show.
        browser.resize(1366, 641)
        browser.do("await settled();")
        self.assertEqual(browser.do(covered, ".message-box", ["#panel"]), [])
        # On a screen enlarged to 400 % the page scrolls, and most of it stays in sight.
        browser.resize(320, 256)
        browser.do("await settled();")
        self.assertLess(browser.plain("return document.getElementById('messages').offsetHeight"), 0.45 * 256)

    def test_nothing_moves_under_the_finger_while_numbers_change(self):
        browser = self.browser
        self.addCleanup(browser.resize, *self.size)
        for width, height, touch in ((390, 664, True), (1366, 641, False)):
            for scene in ("wave/double-slit", "lbm/cylinder", "particles/gas", "membrane/struck", "fibers/cloud"):
                with self.subTest(scene=scene, width=width):
                    browser.resize(width, height, touch)
                    browser.open_scene(scene, fresh=True)
                    browser.do("return until(() => run.diagnostics?.step > 0);")
                    self.assertEqual(browser.do("(await load('run')).setPlaying(true); await settled();" + moved), [])

    def test_hint_leaves_view_and_bar_free(self):
        browser = self.browser
        self.addCleanup(browser.resize, *self.size)
        for width, height, touch in ((360, 740, True), (390, 664, True), (740, 360, True), (320, 568, True), (1280, 720, False)):
            with self.subTest(size=(width, height)):
                browser.resize(width, height, touch)
                browser.open_scene("fibers/ring", fresh=True)  # whose hint is the longest
                browser.pause()
                self.keep_screenshot(f"hint-{width}x{height}")
                self.assertEqual(browser.do(covered, ".hint", [".stage", ".transport", ".readings"]), [])
                box = browser.plain("const one = document.querySelector('.hint').getBoundingClientRect(); "
                                    "return [one.top, one.bottom]")
                self.assertLess(box[1], height, "the hint is out of sight")
                self.assertGreater(box[1] - box[0], 20)
                # All of it after a tap.
                cut = "const p = document.querySelector('.hint p'); return p.scrollHeight - p.clientHeight"
                browser.plain("document.querySelector('.hint p').click()")
                self.assertLess(browser.plain(cut), 2)

    def test_errors_leave_with_their_scene(self):
        browser = self.browser
        browser.open_scene("wave/droplet", fresh=True)
        for leave in ("#s=wave/rain", "#scenes"):
            with self.subTest(leave=leave):
                browser.do("(await load('run')).showMessage('A value of this scene', 'error');")
                self.assertIn("A value", browser.messages())
                browser.open(leave, fresh=False)
                browser.do("await until(() => given[0] === '#scenes' ? document.documentElement.dataset.page === 'gallery' "
                           ": run.status.scene === 'wave/rain');", leave)
                self.assertEqual(browser.messages(), "")

    def test_names_of_scenes_are_whole(self):
        """In the list of scenes, in both languages."""
        browser = self.browser
        self.addCleanup(browser.resize, *self.size)
        browser.open_scene("wave/droplet", fresh=True)
        for language in ("en", "de"):
            browser.do("(await load('settings')).set('language', given[0]); "
                       "const { tr } = await load('i18n'); tr('Pause'); "
                       "await until(() => given[0] === 'en' || tr('Pause') !== 'Pause'); await settled();", language)
            for width, height in ((360, 740), (1280, 720), (1366, 641), (1920, 1080)):
                with self.subTest(language=language, width=width):
                    browser.resize(width, height)
                    self.assertEqual(browser.do("""
                      await settled();
                      const select = document.querySelector(".scene-select");
                      const context = document.createElement("canvas").getContext("2d");
                      const isCut = (one) => {
                        select.value = one.value;
                        document.dispatchEvent(new Event("retranslated"));
                        const style = getComputedStyle(select);
                        if (parseFloat(style.fontSize) < 11) return true;
                        context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
                        const arrow = parseFloat(style.fontSize); // of the browser, inside the padding
                        return context.measureText(one.text).width > select.clientWidth - parseFloat(style.paddingLeft) -
                          parseFloat(style.paddingRight) - arrow;
                      };
                      const cut = [...select.options].filter(isCut).map((one) => one.text);
                      select.value = run.status.scene;
                      return cut;
                    """), [])
        browser.do("(await load('settings')).set('language', 'en');")

    def test_page_fits_every_window_size(self):
        browser = self.browser
        browser.open()
        for name, (width, height, touch) in sizes.items():
            with self.subTest(size=name):
                browser.resize(width, height, touch)
                browser.open("#scenes", fresh=False)
                self.look(f"{name}-gallery")
                browser.open_scene("wave/double-slit")
                browser.do("run.status; await call('advance', { steps: 600, milliseconds: 4000 }); setPlaying(false);")
                self.look(f"{name}-scene")
                share = browser.plain("const one = document.querySelector('#view').getBoundingClientRect(); "
                                      "return one.width * one.height / innerWidth / innerHeight")
                self.assertGreater(share, 0.25 if name in ("phone", "reflow", "zoom-200", "phone-wide") else 0.35)

    def test_lessons_fit_two_window_sizes(self):
        """Tests text, a sketch, choices and the result of an answer."""
        browser = self.browser
        for name, (width, height, touch) in {size: sizes[size] for size in ("laptop", "phone")}.items():
            browser.resize(width, height, touch)
            browser.open()
            for lesson, step in (("wave/two-slits", 0), ("wave/two-slits", 1), ("membrane/convergence", 2)):
                with self.subTest(size=name, lesson=lesson, step=step):
                    browser.open(f"#l={lesson}", fresh=False)
                    browser.do("""
                      await until(() => run.lesson?.lesson.path === given[0]);
                      while (run.lesson.index > given[1]) {
                        const before = run.lesson.index;
                        document.querySelector(".lesson-buttons .quiet").click();
                        await until(() => run.lesson.index !== before);
                      }
                      while (run.lesson.index < given[1]) {
                        const before = run.lesson.index;
                        document.querySelector(".lesson-buttons .accent").click();
                        await until(() => run.lesson.index !== before);
                      }
                      setPlaying(false);
                    """, lesson, step)
                    if step == 2:  # answered, and stopped at the skipped question
                        browser.all(".answer-choice")[0].click()
                        browser.do("setPlaying(true); await until(() => run.lesson.stop_reason); setPlaying(false);")
                    self.look(f"{name}-lesson-{lesson.replace('/', '-')}-{step + 1}")
                    if name == "phone":
                        browser.plain("document.querySelector('.lesson-buttons').scrollIntoView({ block: 'end' })")
                        self.look(f"{name}-lesson-{lesson.replace('/', '-')}-{step + 1}-below")
                        browser.plain("scrollTo(0, 0)")

    def test_tabs_stay_in_place_for_every_tool(self):
        browser = self.browser
        browser.resize(1280, 720)
        for scene in ("wave/droplet", "lbm/cylinder"):
            browser.open_scene(scene, fresh=True)
            places = browser.do("""
              setPlaying(false);
              const places = [];
              for (const tool of document.querySelectorAll(".tool input")) {
                tool.click();
                await settled();
                places.push(document.querySelector("[role=tablist]").getBoundingClientRect().top);
              }
              return places;
            """)
            self.assertGreater(len(places), 3)
            self.assertEqual(len(set(places)), 1, (scene, places))

    def test_resizing_raises_no_error_event(self):
        """Size observers that change what they observe raise one; a lesson hides and shows the tools."""
        browser = self.browser
        browser.resize(1280, 720)
        browser.open_scene("lbm/cylinder", fresh=True)
        browser.plain("window.errors = []; addEventListener('error', (event) => errors.push(event.message))")
        for note in ("", long_note):
            browser.do("if (given[0]) (await load('run')).showMessage(given[0], 'error');", note)
            for width, height in ((360, 740), (1000, 700), (320, 256), (1920, 1080), (640, 360), (1280, 720)):
                browser.resize(width, height)
                browser.do("for (let k = 0; k < 4; ++k) await frame();")
        browser.do("""
          const section = document.querySelector(".tool-panel");
          for (const hidden of [true, false]) {
            section.hidden = hidden;
            for (let k = 0; k < 4; ++k) await frame();
          }
        """)
        self.assertEqual(browser.plain("return errors"), [])

    def test_every_theme_is_readable_in_every_tab(self):
        browser = self.browser
        browser.resize(1280, 720)
        browser.open_scene("lbm/cylinder", fresh=True)
        browser.do("await call('advance', { steps: 300, milliseconds: 2000 }); setPlaying(false);")
        for look in ("dark", "light", "high-contrast"):
            browser.plain("document.documentElement.dataset.theme = arguments[0]", look)
            for tab in ("physics", "view", "plots", "kernels"):
                with self.subTest(look=look, tab=tab):
                    browser.click(f"#tab-{tab}")
                    browser.do("document.getElementById('panel').scrollTo(0, 0);")
                    if tab != "physics":
                        browser.do("document.querySelector('.tabbed').scrollIntoView();")
                    self.look(f"{look}-{tab}")
        for mode in ({"name": "forced-colors", "value": "active"}, {"name": "prefers-color-scheme", "value": "light"}):
            browser.plain("delete document.documentElement.dataset.theme")
            browser.command("Emulation.setEmulatedMedia", features=[mode])
            browser.do("await settled()")
            self.keep_screenshot(mode["name"])
        browser.command("Emulation.setEmulatedMedia", features=[])

    def test_dialogs_fit_the_window(self):
        browser = self.browser
        browser.resize(1280, 720)
        browser.open_scene("wave/lens", fresh=True)
        browser.pause()
        for name, words in {"share": "Share a link", "help": "Help"}.items():
            browser.click(f"#top [aria-label^='{words}']")
            browser.wait("document.querySelector('dialog[open]')", name)
            self.look(f"dialog-{name}")
            browser.plain("document.querySelector('dialog[open]').close()")

    def test_checks_fit_the_window(self):
        browser = self.browser
        self.addCleanup(browser.resize, *self.size)
        browser.resize(1280, 720)
        browser.open("#verify=fibers")
        browser.wait("document.querySelector('dialog[open] .checks tbody tr')", "the checks")
        for width, height in ((1280, 720), (360, 740)):
            browser.resize(width, height)
            self.look(f"dialog-checks-{width}")
        # The rule itself: it finds a heading without text.
        browser.plain("document.querySelector('.checks thead th:last-child').textContent = ''")
        self.assertEqual([name for name, *_ in browser.plain(measure)], ["an empty table heading"])
        browser.plain("document.querySelector('dialog[open]').close()")

    def test_german_page_has_no_english_text(self):
        browser = self.browser
        browser.resize(1280, 720)
        browser.open("#s=wave/double-slit", query="?language=de")
        browser.wait_for_scene("wave/double-slit")
        browser.do("await call('advance', { steps: 300, milliseconds: 2000 }); setPlaying(false);")
        browser.wait("document.querySelector('#tab-physics').textContent === 'Physik'", "German")
        self.look("german")
        browser.click("#tab-view")
        self.look("german-view")
        # Selectors of languages and simulations show the chosen one, although it arrives after the engine's start.
        self.assertEqual(browser.plain("return document.querySelector('select [lang]').parentElement.value"), "de")
        groups = browser.do("const { tr } = await load('i18n'); return [[...document.querySelectorAll('optgroup')].map("
                            "(one) => one.label), run.catalog.simulations.map((one) => [one.title, tr(one.title)])];")
        self.assertEqual(groups[0], [german for _, german in groups[1]])
        self.assertTrue(any(english != german for english, german in groups[1]))
        # Texts of the page itself are translated; units and proper names are the same.
        english = browser.do("""
          const told = [];
          const { tr } = await load("i18n");
          for (const node of document.querySelectorAll("[data-i18n]"))
            for (const [attribute, words] of node.boundTexts ?? [])
              if (/\\b(the|and|is|this|with|of)\\b/.test(words()) &&
                !/\\b(der|die|das|und|ist|von|mit)\\b/i.test(words())) told.push(words());
          return [...new Set(told)];
        """)
        self.assertEqual(english, [])
        browser.open("#l=wave/two-slits", fresh=False)
        browser.do("await until(() => run.lesson?.index === 0); document.querySelector('.lesson-buttons .accent').click(); "
                   "await until(() => document.querySelector('.pad h3')); setPlaying(false);")
        browser.wait("document.querySelector('.pad h3').textContent === 'Eigene Skizze'", "the sketch in German")
        self.look("german-lesson")
        browser.open("#scenes", fresh=False)
        self.look("german-gallery")


if __name__ == "__main__":
    unittest.main()
