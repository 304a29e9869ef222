"""One screen: what a scene or a lesson's step needs is in sight without scrolling, from a small phone to a projector."""
import unittest

from browser import Keys
from page_test import PageTest, long_tests

# Width and height, and whether the pointer is a finger. The last one is a screen enlarged to 400 %.
sizes = ((360, 560, True), (360, 740, True), (390, 664, True), (820, 1180, True), (1366, 641, False),
         (1920, 1080, False), (3840, 2160, False), (320, 256, False))
# Without the one that takes longest to draw: it has room for what fits the others, and some scenes are seen at it.
most_sizes = sizes if long_tests else tuple(size for size in sizes if size[0] < 3840)

# What is not as it should be at this size. given: [whether the window is enlarged to 400 %].
faults = """
for (let k = 0; k < 3; ++k) await frame();
const [isEnlarged] = given, told = [], phone = innerWidth < innerHeight;
const shown = (selector) => [...document.querySelectorAll(selector)].filter((one) => one.checkVisibility());
const name = (node) => `${node.tagName} ${node.className} ${node.ariaLabel ?? ""} ${node.textContent.slice(0, 30)}`;
// Whether it is within the window and nothing lies on it.
const isInSight = (node) => {
  const box = node.getBoundingClientRect();
  if (!box.width || box.top < -1 || box.left < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1) return false;
  const at = document.elementFromPoint(box.left + box.width / 2, Math.min(box.top + box.height / 2, innerHeight - 1));
  return Boolean(at) && (node.contains(at) || at.contains(node));
};
const need = (what, nodes) => {
  if (!nodes.length) told.push([what, "is missing"]);
  for (const node of nodes) if (!isInSight(node)) told.push([what, "is out of sight", name(node)]);
};
scrollTo(0, 0);
document.getElementById("panel").scrollTo(0, 0);

const stage = document.querySelector(".stage"), view = stage.getBoundingClientRect();
need("the view", [stage]);
const share = phone ? view.height / innerHeight : view.width / innerWidth;
const [least, most] = isEnlarged ? [0.3, 1] : phone ? [0.4, 0.6] : [0.5, 0.9];
if (share < least || share > most) told.push(["the view's share", share]);

const step = run.lesson?.step, opens = !step || !step.unlocked || step.unlocked.length > 0;
const row = shown("[role=tabpanel]:not([hidden]) .row")[0];
if (opens && !(isEnlarged && step)) {
  const control = row?.querySelector("input[type=range], select, [role=switch]");
  need("the first control", row ? [row.querySelector(".row-label"), control].filter(Boolean) : []);
  if (row?.querySelector(".amount")) need("its value", [row.querySelector(".number")]);
}
if (!isEnlarged) {
  if (!step?.tools || step.tools.length) {
    const tools = shown(".tool");
    need("the tools", tools);
    if (new Set(tools.map((one) => Math.round(one.getBoundingClientRect().top))).size > 1) told.push(["tools in rows"]);
    for (const tool of tools) if (!tool.querySelector("svg")) told.push(["a tool without an icon", name(tool)]);
  }
  need("play", shown(".play"));
  need("the menu", shown("[aria-controls=bar-menu]"));
  need("the tabs", shown("[role=tab]"));
}
if (step && !isEnlarged) {
  const title = document.querySelector(".lesson-title"), text = title.nextElementSibling.firstChild;
  need("the title", [title]);
  // The end of the first sentence.
  const end = text.data.search(/[.?!:](\\s|$)/) + 1 || text.length, range = document.createRange();
  range.setStart(text, 0);
  range.setEnd(text, end);
  const box = range.getBoundingClientRect();
  if (box.bottom > innerHeight) told.push(["the sentence", "is out of sight", box.bottom, text.data.slice(0, end)]);
}
// The bar is one row, and nothing in it is cut or overlaps.
const bar = document.querySelector(".transport"), parts = shown(".transport :is(button, .clock)")
  .filter((one) => !one.closest(".bar-menu")).map((one) => one.getBoundingClientRect()).sort((a, b) => a.left - b.left);
parts.forEach((box, i) => {
  if (i && box.left < parts[i - 1].right - 1) told.push(["the bar's parts overlap", i, box.left, parts[i - 1].right]);
  if (Math.abs(box.top + box.height / 2 - parts[0].top - parts[0].height / 2) > 3) told.push(["the bar has two rows", i]);
});
if (bar.scrollWidth > bar.clientWidth + 1) told.push(["the bar is cut"]);
for (const one of [...shown(".clock span"), ...shown(".readings dt, .readings dd"), ...shown(".tab")])
  if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline") told.push(["cut", name(one)]);
if (document.documentElement.scrollWidth > innerWidth) told.push(["the page scrolls sideways"]);
// Large enough for a finger.
if (matchMedia("(pointer: coarse)").matches)
  for (const one of shown(".transport button, .tool, [role=tab], #top button, .scene-select")) {
    const { width, height } = one.getBoundingClientRect();
    if (width < 39.5 || height < 43.5) told.push(["small", name(one), width, height]);
  }
return told;
"""


class OneScreen(PageTest):
    simple = True

    def look(self, what, among=sizes):
        """Measures the open scene or step at these sizes."""
        browser = self.browser
        browser.do("setPlaying(false); await settled(); await until(() => run.diagnostics); await settled();")
        for width, height, touch in among:
            with self.subTest(what=what, size=(width, height)):
                browser.resize(width, height, touch)
                browser.plain("for (const one of document.querySelectorAll('.message-box')) one.remove();")
                found = browser.do(faults, height < 300)
                self.keep_screenshot(f"one-screen-{what.replace('/', '-')}-{width}x{height}")
                self.assertEqual(found, [])

    def test_every_scene_fits_every_window(self):
        browser = self.browser
        browser.open()
        scenes = browser.do("return run.catalog.simulations.flatMap((one) => one.presets.map((preset) => preset.scene));")
        self.assertGreater(len(scenes), 50)
        for k, scene in enumerate(scenes):
            browser.open_scene(scene)
            self.look(scene, most_sizes if k % 8 else sizes)
            count = browser.plain("return [...document.querySelectorAll('#page-physics .controls .row')]"
                                  ".filter((one) => one.checkVisibility()).length")
            self.assertTrue(3 <= count <= 6, f"{scene}: {count} controls")
            self.assertEqual(browser.complaints(), [], scene)

    def test_every_step_of_every_lesson_fits_every_window(self):
        browser = self.browser
        browser.open()
        for path in browser.do("return run.catalog.lessons.map((one) => one.path);"):
            browser.open(f"#l={path}", fresh=False)
            browser.do("await until(() => run.lesson?.lesson.path === given[0] && document.documentElement.dataset.page === 'run');",
                path)
            count = browser.do("return run.lesson.lesson.steps.length")
            for index in range(count):
                if index:
                    browser.do("document.querySelector('.lesson-buttons .accent').click(); "
                               "await until(() => run.lesson.index === given[0]);", index)
                # (The steps between have nothing of their own but a longer text.)
                is_end = long_tests or index in (0, count - 1)
                self.look(f"{path}-{index + 1}", most_sizes if is_end else sizes[::4])

    def test_german_scenes_fit_every_window(self):
        browser = self.browser
        browser.open("", query="?language=de")
        for scene in ("lbm/cylinder", "membrane/chladni", "particles/gas", "fibers/thousand"):
            browser.open(f"#s={scene}", fresh=False)
            browser.wait_for_scene(scene)
            browser.do("const { tr } = await load('i18n'); await until(() => tr('Simple') === 'Einfach');")
            self.look(f"{scene}-de")

    def test_menu_and_view_alone_on_a_phone(self):
        browser = self.browser
        browser.resize(360, 740, True)
        browser.open_scene("wave/droplet", fresh=True)
        browser.pause()
        browser.click("[aria-controls=bar-menu]")
        self.keep_screenshot("one-screen-menu")
        browser.plain("Element.prototype.requestFullscreen = undefined")  # as on an iPhone
        browser.click(".bar-menu [aria-label='Full screen']")
        seen = """
          await settled();
          const { top, left, width, height } = document.querySelector("#view").getBoundingClientRect();
          return [top, left, innerWidth - width, innerHeight - height];
        """
        self.assertEqual(browser.do(seen), [0, 0, 0, 0])
        self.keep_screenshot("one-screen-alone")
        x, y = browser.place(0.5, 0.5)
        browser.touch(x, y)
        self.assertTrue(browser.do("return until(() => run.status.next_undo)"), "a tap does nothing")
        browser.click(".leave-alone")
        self.assertTrue(browser.do(seen)[0] > 0)
        self.assertTrue(browser.find(".transport").is_displayed())
        browser.plain("document.getElementById('view').focus()")
        browser.open_menu()
        browser.click(".bar-menu [aria-label='Full screen']")
        browser.keys(Keys.ESCAPE)
        self.assertTrue(browser.find(".transport").is_displayed())

    def test_full_view_has_the_rest_and_is_kept(self):
        browser = self.browser
        browser.resize(1366, 641)
        browser.open_scene("wave/double-slit", fresh=True)
        browser.pause()
        shown = lambda: browser.plain("return [document.querySelectorAll('#page-physics .row').length, "
            "...['#page-physics .gauge', '.add', '#tab-kernels', '#page-physics .row'].map((one) => "
            "[...document.querySelectorAll(one)].filter((node) => node.checkVisibility()).length)]")
        every, *simple = shown()
        self.assertEqual(simple, [0, 0, 0, len(browser.do("return run.status.controls"))])
        browser.plain("document.querySelector('input[name=detail][value=full]').click()")
        full = shown()
        self.assertTrue(all(full), full)
        self.assertEqual(full[-1], every)
        browser.click("#tab-kernels")
        browser.open_scene("wave/double-slit", fresh=True)
        self.assertEqual(shown()[-1], every)
        browser.do("await until(() => run.diagnostics);")
        browser.click("#tab-kernels")
        browser.do("(await load('settings')).set('simple', true);")
        self.assertTrue(browser.find("#page-physics").is_displayed())
        # The simple view shows a gauge that warns.
        browser.do("await call('set', { changes: { wave_speed: 1.39 }, merge_with_last: false }); await settled();")
        self.assertEqual(shown()[1], 1)
        browser.plain("localStorage.clear()")


if __name__ == "__main__":
    unittest.main()
