"""Controls: every one works by keyboard, has a name and is large enough for a finger; pointer input on the view."""
import unittest

from selenium.webdriver.common.action_chains import ActionChains

from browser import Keys
from page_test import PageTest

# All elements that Tab can reach now; a group of radio buttons counts as its chosen one.
reachable = """
const all = [...document.querySelectorAll("a[href], button, input, select, textarea, [tabindex='0']")]
  .filter((node) => !node.disabled && node.tabIndex >= 0 && node.checkVisibility({ visibilityProperty: true }) &&
    !node.closest("[inert]") && (!document.querySelector("dialog[open]") || node.closest("dialog[open]")));
const groups = new Set();
return all.filter((node) => {
  if (node.type !== "radio") return true;
  const name = node.name;
  const some = document.querySelector(`input[type=radio][name="${name}"]:checked`);
  if (some && some !== node || groups.has(name)) return false;
  groups.add(name);
  return true;
});
"""
name_of = """(node) => {
  const label = node.id && document.querySelector(`label[for="${node.id}"]`);
  return (node.getAttribute("aria-label") ||
    document.getElementById(node.getAttribute("aria-labelledby") ?? "")?.textContent ||
    label?.textContent || node.closest("label")?.textContent || node.textContent || node.title || "").trim();
}"""


class Controls(PageTest):
    def open_tab(self, tab):
        self.browser.open_scene("wave/double-slit")
        self.browser.pause()
        self.browser.click(f"#tab-{tab}")

    def reach_everything(self):
        """Checks that Tab reaches every element, within an open dialog only its own, and that each has a name."""
        browser = self.browser
        controls = "((() => {" + reachable + "})())"
        browser.do("document.activeElement.blur(); await settled();")
        wanted = browser.plain(f"return {controls}.length")
        self.assertGreater(wanted, 0)
        nameless = browser.plain(f"const name = {name_of}; return {controls}.filter((node) => !name(node))"
                                 ".map((node) => node.outerHTML.slice(0, 120))")
        self.assertEqual(nameless, [])
        browser.plain("""window.reached = new Set();
          window.seenFocus ??= document.addEventListener("focusin", (event) => window.reached.add(event.target)) ?? true;""")
        for _ in range(0, wanted + 12, 12):
            ActionChains(browser.driver, duration=0).send_keys(*[Keys.TAB] * 12).perform()
        missed = browser.plain(f"return {controls}.filter((node) => !window.reached.has(node))"
                               ".map((node) => node.outerHTML.slice(0, 160))")
        self.assertEqual(missed, [])

    def test_tab_reaches_every_control_and_each_has_a_name(self):
        browser = self.browser
        for tab in ("physics", "view", "plots", "kernels"):
            with self.subTest(tab=tab):
                self.open_tab(tab)
                self.reach_everything()
        for name, opens in {"share": "(await load('dialogs')).openShare()", "help": "(await load('dialogs')).openHelp()",
                            "about": "(await load('dialogs')).openAbout()"}.items():
            with self.subTest(dialog=name):
                browser.do(f"await {opens};")
                self.reach_everything()
                browser.keys(Keys.ESCAPE)
                browser.wait("!document.querySelector('dialog')", "the end of the dialog")
        with self.subTest(face="gallery"):
            browser.open("#scenes", fresh=False)
            self.reach_everything()
        with self.subTest(face="lesson"):
            browser.open("#l=membrane/convergence", fresh=False)
            browser.wait("document.querySelector('.lesson-title')?.checkVisibility()", "the lesson")
            browser.pause()
            self.reach_everything()
            browser.open_scene("wave/double-slit")

    def press(self, selector, *keys):
        """Presses a key on a control after it has received the focus."""
        self.browser.plain("document.querySelector(arguments[0]).focus()", selector)
        self.assertTrue(self.browser.plain("return document.activeElement === document.querySelector(arguments[0])",
            selector), f"{selector} takes no focus")
        self.browser.keys(*keys)

    def comes(self, condition, what):
        self.assertTrue(self.browser.do(f"return until(async () => {condition});"), what)

    def test_keys_control_the_gallery(self):
        browser = self.browser
        browser.open("#scenes")
        cards = lambda: browser.plain("return document.querySelectorAll('#gallery .card').length")
        all_cards = cards()
        self.press("#search", "slit")
        browser.wait(f"document.querySelectorAll('#gallery .card').length < {all_cards}", "what is looked for")
        self.press("#search", *[Keys.BACKSPACE] * 4)
        self.assertEqual(cards(), all_cards)
        for key in (Keys.ENTER, Keys.SPACE):
            self.press(".chip[data-id=membrane]", key)
            self.assertLess(cards(), all_cards)
            self.press(".chip[data-id='']", key)
            self.assertEqual(cards(), all_cards)
        browser.plain("HTMLInputElement.prototype.click = function () { window.chose = this.type; }")
        self.press(".open-file", Keys.ENTER)
        self.assertEqual(browser.plain("return window.chose"), "file")
        self.press("#gallery .card", Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_UP, Keys.ARROW_LEFT)
        self.assertEqual(browser.plain("return document.activeElement === document.querySelector('#gallery .card')"), True)
        self.press("#gallery .card", Keys.ENTER)
        self.comes("document.documentElement.dataset.page === 'run'", "a card opens nothing")

    def test_keys_control_the_bar_below_the_view(self):
        browser = self.browser
        browser.open_scene("wave/double-slit", fresh=True)
        browser.pause()
        browser.plain("""
          [...document.querySelectorAll(".transport button")].forEach((one, i) => one.dataset.at = i);
          HTMLAnchorElement.prototype.click = function () { window.saved = this.download; };
          HTMLInputElement.prototype.click = function () { window.chose = this.type; };
          Element.prototype.requestFullscreen = async () => { window.filled = true; };
        """)
        named = lambda words: "[data-at='" + browser.plain(
            "return [...document.querySelectorAll('.transport button')].find((one) => "
            "(one.getAttribute('aria-label') ?? '').startsWith(arguments[0])).dataset.at", words) + "']"
        done = set()

        def button(words, condition, what, key=Keys.ENTER):
            one = named(words)
            done.add(one)
            if browser.plain("return !document.querySelector(arguments[0]).checkVisibility()", one):
                browser.open_menu()
            self.press(one, key)
            self.comes(condition, what)

        steps = "(await call('status')).steps"
        button("More", "!document.getElementById('bar-menu').hidden", "the menu")
        browser.keys(Keys.ESCAPE)
        self.comes("document.getElementById('bar-menu').hidden && document.activeElement.ariaExpanded === 'false'",
            "the end of the menu")
        button("Play", "run.playing", "play")
        button("Pause", "!run.playing", "pause", Keys.SPACE)
        browser.step(3)
        before = browser.steps()
        button("One step", f"{steps} === {before + 1}", "one step")
        button("Restart the scene", f"{steps} === 0", "restart")
        browser.do("await call('set', { changes: { wave_speed: 0.5 }, merge_with_last: false }); await settled();")
        button("Undo", "run.status.parameters.wave_speed === 1", "undo")
        button("Redo", "run.status.parameters.wave_speed === 0.5", "redo")
        rate = browser.do("return pace.rate")
        button("Faster", f"pace.rate === {2 * rate}", "faster")
        button("Slower", f"pace.rate === {rate}", "slower")
        button("Speed of the run", "pace.unit === 'real_time'", "another unit")
        browser.step(3)
        button("Restart, keep", f"{steps} === 0", "restart and keep")
        browser.do("await call('view', { camera: { zoom: 3 } }); await settled();")
        button("Show the whole domain", "run.status.view.camera.zoom === 1", "the whole domain")
        button("Show or hide theory", "run.status.view.theory", "theory in the view")
        for words, kind in (("Ruler", "ruler"), ("Protractor", "protractor"), ("Stopwatch", "stopwatch"), ("Probe", "probe"),
                            ("Line cut", "cut")):
            button(words, f"run.status.instruments.some((one) => one.startsWith('{kind}'))", kind)
        button("Show or hide the microscope", "run.microscope", "the microscope")
        for words, ending in (("Save the image", "png"), ("Save the state", "perturb")):
            browser.plain("window.saved = ''")
            button(words, f"window.saved.endsWith('.{ending}')", words)
        browser.plain("window.saved = ''")
        button("Record a video", "(await load('exports')).isRecording()", "a video")
        browser.do("setPlaying(true); let count = 0; const { on } = await load('run'); on('painted', () => ++count); "
                   "await until(() => count > 5); setPlaying(false);")
        browser.open_menu()
        self.press(named("Stop and save"), Keys.ENTER)
        self.comes("/webm|mp4/.test(window.saved)", "the video")
        button("Open a file", "window.chose === 'file'", "a file")
        button("Full screen", "window.filled", "the full screen")
        browser.plain("window.open = () => null")
        browser.plain("window.saved = ''")
        button("Lab report", "window.saved.endsWith('.html')", "the report")
        button("About this scene", "document.querySelector('dialog[open]')", "the dialog")
        browser.keys(Keys.ESCAPE)
        self.comes("!document.querySelector('dialog')", "the end of the dialog")
        left = [words for words in browser.plain("return [...document.querySelectorAll('.transport button:not(.small-only)')]"
                                                 ".map((one) => [`[data-at='${one.dataset.at}']`, one.ariaLabel])")
                if words[0] not in done]
        self.assertEqual(left, [], "a button that no key was tried on")

    def test_keys_control_view_and_kernels(self):
        browser = self.browser
        self.open_tab("view")
        browser.do("await call('view', { automatic: true }); await settled();")
        view = lambda: browser.do("return JSON.stringify([(await call('view')).view, "
                                  "(await load('settings')).settings, document.documentElement.lang])")
        # Locked first: then the ends of the range have their sliders.
        before = view()
        self.press("input[name=range]:checked", Keys.ARROW_RIGHT)
        self.comes("!run.status.view.automatic", "the range is not locked")
        browser.do("await settled();")
        # One after the other, because a key recreates some of them: the sliders first, the language last.
        mark = """
          const seen = new Set(["range"]), order = (one) => (one.lang !== undefined && one.querySelector?.("[lang]") ? 2
            : one.type === "range" ? 0 : 1);
          return [...document.querySelectorAll("#page-view :is(input, select)")].filter((one) => {
            if (!one.checkVisibility() || one.type === "text" || one.type === "radio" && seen.has(one.name)) return false;
            seen.add(one.name);
            return true;
          }).sort((a, b) => order(a) - order(b)).map((one) => {
            const words = one.name || one.closest(".row").querySelector(".row-label").textContent;
            one.dataset.control = words;
            return [words, one.type];
          });
        """
        done = []
        while left := [(words, kind) for words, kind in browser.plain(mark) if words not in done]:
            words, kind = left[0]
            done.append(words)
            if words == "Language":
                done += [one for one, _ in left]
            with self.subTest(control=words):
                before = view()
                one = f"[data-control='{words}']"
                if kind == "radio":
                    self.press(f"input[name={words}]:checked", Keys.ARROW_RIGHT)
                elif kind == "checkbox":
                    self.press(one, Keys.SPACE)
                elif kind == "range":
                    self.press(one, Keys.ARROW_LEFT)
                else:
                    last = browser.plain(f"return document.querySelector(\"{one}\").selectedIndex > 0")
                    self.press(one, Keys.ARROW_UP if last else Keys.ARROW_DOWN)
                self.comes(f"JSON.stringify([(await call('view')).view, (await load('settings')).settings, "
                           f"document.documentElement.lang]) !== {before!r}", "a key does nothing")
        self.assertGreater(len(done), 9, done)
        self.assertIn("Language", done)
        browser.plain("localStorage.clear()")
        browser.open_scene("wave/double-slit", fresh=True)
        browser.click("#tab-kernels")
        kernel = browser.do("await until(() => document.querySelector('input[name=kernel]:checked')); "
                            "return run.status.kernel")
        self.press("input[name=kernel]:checked", Keys.ARROW_DOWN)
        self.comes(f"run.status.kernel !== '{kernel}'", "a key chooses no kernel")

    def test_keys_add_objects(self):
        browser = self.browser
        self.open_tab("physics")
        browser.do("await call('restart'); await settled();")
        kinds = browser.do("return run.status.placeable")
        self.assertEqual(browser.plain("return [...document.querySelectorAll('.add button')]"
                                       ".map((one) => one.dataset.kind)"), kinds)
        for kind in kinds:
            with self.subTest(kind=kind):
                count = browser.do("return run.status.objects.length")
                self.press(f".add [data-kind={kind}]", Keys.ENTER)
                self.comes(f"run.status.objects.length === {count + 1}", "no object came")
                self.assertEqual(browser.do("return run.status.objects.at(-1).kind"), kind)
                self.comes("run.selection.object === run.status.objects.at(-1).id",
                    "the new object is not selected")
                self.assertTrue(browser.plain(f"return document.activeElement.dataset.kind === '{kind}'"),
                    "the focus moved")
        # A stopped run and a lesson that fixes the objects take none.
        browser.open("#l=wave/two-slits", fresh=False)
        browser.do("await until(() => run.lesson);")
        self.assertEqual(browser.do("return document.querySelectorAll('.add button').length === 0 || "
                                    "(await load('run')).objectsAreOpen()"), True)
        browser.open_scene("wave/double-slit")

    def test_keys_control_dialogs(self):
        browser = self.browser
        browser.open_scene("wave/double-slit", fresh=True)
        browser.pause()
        self.press("#top [aria-label='Share a link']", Keys.ENTER)
        browser.wait("document.querySelector('dialog[open] #share-frame')", "share")
        text = browser.plain("return document.querySelector('#share-frame').value")
        self.press("dialog fieldset input", Keys.SPACE)
        self.assertNotEqual(browser.plain("return document.querySelector('#share-frame').value"), text)
        self.press("dialog .copy-row .accent", Keys.ENTER)
        browser.wait("/Copied|Ctrl/.test(document.querySelector('dialog [role=status]').textContent)", "word of the copy")
        self.press("dialog .dialog-head button", Keys.ENTER)
        browser.wait("!document.querySelector('dialog')", "the end of the dialog")
        self.press("#top [aria-label^='Help']", Keys.SPACE)
        browser.wait("document.querySelector('dialog[open] .columns')", "help")
        browser.keys(Keys.ESCAPE)
        browser.wait("!document.querySelector('dialog')", "the end of the dialog")
        self.press("#top [aria-label^='Show or hide the panels']", Keys.ENTER)
        self.assertFalse(browser.find("#panel").is_displayed())
        browser.keys(Keys.ENTER)
        self.assertTrue(browser.find("#panel").is_displayed())

    def test_slider_without_focus_stays_under_the_finger(self):
        """Safari does not focus a slider that is dragged."""
        browser = self.browser
        self.open_tab("physics")
        self.assertEqual(browser.do("""
          const slider = document.querySelector("#page-physics .row.real input[type=range]");
          const { emit } = await load("run");
          document.activeElement.blur();
          slider.value = 900;
          slider.dispatchEvent(new Event("input"));
          run.status = { ...run.status, parameters: { ...run.status.defaults } };  // told before the run has answered
          emit("status");
          const held = slider.value;
          slider.dispatchEvent(new Event("change"));
          slider.dispatchEvent(new Event("pointerup"));
          await settled();
          await call("undo");
          return held;
        """), "900")

    def test_keys_of_other_keyboards_run_commands(self):
        browser = self.browser
        browser.open_scene("wave/droplet")
        press = lambda key, **more: browser.plain("document.dispatchEvent(new KeyboardEvent('keydown', "
                                                  "{ key: arguments[0], bubbles: true, ...arguments[1] }))", key, more)
        second = browser.do("return run.catalog.simulations[0].presets[1].scene")
        press("]", altKey=True, ctrlKey=True)  # AltGr, as Windows reports it
        self.comes(f"run.status.scene === '{second}'", "the next scene")
        press("[", altKey=True)  # Option
        self.comes("run.status.scene === 'wave/droplet'", "the scene before")
        browser.click("#tab-view")
        switch = "[...document.querySelectorAll('#page-view .row.boolean')].find((one) => " \
                 "one.innerText.includes('Colour bar')).querySelector('input').checked"
        self.assertTrue(browser.plain(f"return {switch}"))
        press("c")
        self.assertFalse(browser.plain(f"return {switch}"))
        press("c")
        self.assertTrue(browser.plain(f"return {switch}"))
        # A browser without full screen for pages shows a message.
        browser.plain("Element.prototype.requestFullscreen = undefined")
        browser.open_menu()
        self.press(".transport [aria-label='Full screen']", Keys.ENTER)
        browser.wait("/home screen/.test(document.getElementById('messages').innerText)", "a sentence")

    def test_keys_move_sliders_switches_and_choices(self):
        browser = self.browser
        self.open_tab("physics")
        result = browser.do("""
          const told = [];
          for (const row of document.querySelectorAll("#page-physics .row")) {
            const control = row.querySelector("input[type=range], input[type=checkbox], select");
            told.push([control.id, control.type, control.disabled]);
          }
          return told;
        """)
        self.assertGreater(len(result), 10)
        for control, kind, _ in result:
            with self.subTest(control=control):
                before = browser.do("return JSON.stringify((await call('status')).parameters)")
                browser.plain("document.getElementById(arguments[0]).focus()", control)
                at_end = browser.plain("const one = document.getElementById(arguments[0]); return one.type === 'range' "
                                       "? Number(one.value) > 500 : one.selectedIndex > 0", control)
                if kind == "checkbox":
                    browser.keys(Keys.SPACE)
                elif kind == "range":
                    browser.keys(Keys.ARROW_LEFT if at_end else Keys.ARROW_RIGHT)
                else:
                    browser.keys(Keys.ARROW_UP if at_end else Keys.ARROW_DOWN)
                changed = browser.do("""
                  const note = () => document.getElementById("messages").innerText.trim();
                  await until(async () => note() || JSON.stringify((await call("status")).parameters) !== given[0]);
                  return JSON.stringify((await call("status")).parameters) !== given[0];
                """, before)
                self.assertTrue(changed or browser.messages(), "a key does nothing, and nothing is said")
        browser.do("for (const button of document.querySelectorAll('.reset-all')) button.click(); await "
            "settled();")
        self.assertEqual(browser.do("const f = await call('status'); return JSON.stringify(f.parameters) === "
            "JSON.stringify(f.defaults)"), True)

    def test_undo_reverts_a_typed_number(self):
        browser = self.browser
        self.open_tab("physics")
        field = browser.find("#page-physics .row.real input.number")
        field.click()
        field.send_keys("12,5", Keys.ENTER)  # in cm/s
        speed = lambda wanted: browser.do(
            "await until(() => run.status.parameters.wave_speed === given[0]); return run.status.parameters.wave_speed", wanted)
        self.assertEqual(speed(0.5), 0.5)
        browser.plain("document.activeElement.blur()")
        browser.chord(Keys.CONTROL, "z")
        self.assertEqual(speed(1), 1)
        browser.chord(Keys.CONTROL, "y")
        self.assertEqual(speed(0.5), 0.5)

    def test_escape_and_text_that_is_no_number_leave_the_value(self):
        browser = self.browser
        browser.open_scene("particles/gas", fresh=True)
        browser.pause()
        field = "#page-physics .row.integer input.number"
        count = browser.do("return document.querySelector(given[0]).value", field)

        def type_text(*keys):
            browser.do("document.querySelector(given[0]).focus();", field)
            browser.keys(*keys)
            browser.rest()
            return browser.do("return document.querySelector(given[0]).value", field)

        self.assertEqual(type_text("20", Keys.ESCAPE, Keys.TAB), count)
        # A comma that may separate thousands is no decimal mark, which would leave one disc.
        for text in ("abc", "4 cm", "1,000", "0x10"):
            with self.subTest(text=text):
                self.assertEqual(type_text(text, Keys.ENTER), count)
                self.assertIn(f'Cannot read "{text}"', self.browser.plain("return document.body.textContent"))

    def test_crosshair_pokes_and_drags(self):
        browser = self.browser
        browser.open_scene("wave/droplet")
        browser.pause()
        before = browser.image_hash()
        browser.plain("document.getElementById('view').focus()")
        browser.keys(Keys.ARROW_RIGHT, Keys.ARROW_UP, Keys.ENTER)
        self.assertTrue(browser.do("return until(() => run.status.next_undo);"))
        self.assertNotEqual(browser.image_hash(), before)
        once = browser.image_hash()
        browser.find(".tool input[value=wall]").click()
        browser.plain("document.getElementById('view').focus()")
        ActionChains(browser.driver,
            duration=0).key_down(Keys.SHIFT).send_keys(*[Keys.ARROW_LEFT] * 8).key_up(Keys.SHIFT).perform()
        self.assertNotEqual(browser.image_hash(), once)

    def test_a_tool_that_acts_at_once_says_so(self):
        browser = self.browser
        browser.open_scene("particles/gas")
        browser.pause()
        browser.find(".tool input[value=reverse]").click()
        self.assertTrue(browser.do("return until(() => document.getElementById('messages').innerText"
            ".includes('Reverse: done at step'));"), browser.messages())
        self.assertTrue(browser.do("return Boolean(run.status.next_undo)"))

    def test_keys_match_those_of_the_window(self):
        browser = self.browser
        browser.open_scene("wave/droplet")
        browser.do("setPlaying(true)")
        browser.plain("document.activeElement.blur()")
        browser.keys(Keys.SPACE)
        self.assertFalse(browser.do("await frame(); return run.playing"))
        browser.do("await settled();")
        steps = browser.steps()
        browser.keys(".")
        browser.do("await until(async () => (await call('status')).steps !== given[0]); await settled();", steps)
        self.assertEqual(browser.steps(), steps + 1)
        browser.keys("3")
        self.assertEqual(browser.do("return run.tool === run.simulation.tools[2].id"), True)
        browser.keys("]")
        browser.do("await until(() => run.status.scene !== 'wave/droplet');")
        self.assertEqual(browser.do("return run.status.scene"),
            browser.do("return run.catalog.simulations[0].presets[1].scene"))
        browser.keys("?")
        browser.wait("document.querySelector('dialog[open]')", "help")
        browser.keys(Keys.ESCAPE)
        browser.wait("!document.querySelector('dialog')", "the end of help")
        # The description of the view is a message, as in the window.
        browser.keys(Keys.F4)
        browser.wait("/step \\d+, time/.test(document.getElementById('messages').innerText)", "the description")
        browser.keys(Keys.F7)
        browser.wait("document.querySelector('dialog[open] .now')?.textContent.length > 40", "what there is to see")
        self.keep_screenshot("about")
        browser.keys(Keys.ESCAPE)

    def test_each_command_of_the_table_has_a_function_and_each_function_a_command(self):
        browser = self.browser
        browser.open_scene("wave/droplet")
        names, handlers, parts = browser.do("""
          const { bindings, handlers } = await load("keys"), { parts } = await load("link");
          return [bindings().filter((one) => typeof one.run === "function").map((one) => one.name),
            Object.keys(handlers), [parts, bindings().map((one) => one.leaves).filter(Boolean)]];
        """)
        table = browser.do("return run.catalog.commands")
        self.assertEqual(sorted(handlers), sorted(one["name"] for one in table))
        self.assertEqual(sorted(names), sorted(handlers))
        self.assertEqual([part for part in parts[1] if part not in parts[0] + ["gallery"]], [])
        # The gallery's tables in the page, which are there before the engine, hold the same commands.
        self.assertEqual(browser.do("return JSON.parse(document.getElementById('catalog').textContent).commands"), table)

    def test_help_and_buttons_show_the_keys_of_the_table(self):
        browser = self.browser
        for language, keys, save in (("en", "Ctrl + Shift + Z  or  Ctrl + Y", "Save the state  (Ctrl + S)"),
                                     ("de", "Strg + Umschalt + Z  oder  Strg + Y", "Den Zustand speichern  (Strg + S)")):
            with self.subTest(language=language):
                browser.open("#s=wave/droplet", query=f"?language={language}")
                browser.wait_for_scene("wave/droplet")
                browser.plain("document.activeElement.blur()")
                browser.keys("?")
                browser.wait("document.querySelector('dialog[open]')", "help")
                browser.wait(f"[...document.querySelectorAll('dialog dt')].some((one) => one.textContent === '{keys}')",
                    "the keys for redo")
                count = browser.do("return [run.catalog.commands.length + (await load('keys')).pointerBindings.length + 1, "
                    "document.querySelectorAll('dialog dt').length]")
                self.assertEqual(count[0], count[1])
                browser.keys(Keys.ESCAPE)
                browser.wait(f"[...document.querySelectorAll('.transport button')].some((one) => one.title === '{save}')",
                    "the key on the button")

    def test_held_key_repeats_only_where_the_table_says_so(self):
        browser = self.browser
        browser.open_scene("wave/droplet")
        browser.pause()
        held = """
          for (const repeat of [false, true, true])
            document.body.dispatchEvent(new KeyboardEvent("keydown", { key: given[0], repeat, bubbles: true }));
          await settled();
        """
        unit = browser.do("return pace.unit")
        browser.do(held, "u")
        self.assertNotEqual(browser.do("return pace.unit"), unit)
        rate = browser.do("return pace.rate")
        browser.do(held, "+")
        self.assertEqual(browser.do("return pace.rate"), 8 * rate)

    def test_rejected_number_is_replaced_by_the_value_in_force(self):
        """In every kind of field, also while the run is paused; the message is about it."""
        browser = self.browser
        browser.open_scene("wave/double-slit", fresh=True)
        browser.pause()
        row = """[...document.querySelectorAll(".row")].find((one) =>
          one.querySelector(".row-label").textContent === given[0]).querySelector(".number")"""
        slits = "run.status.objects.find((one) => one.kind === 'slits')"
        browser.do(f"(await load('objects')).select({slits}.id); await settled();")
        for tab, label, text, value in (("physics", "Wave speed", "40", "run.status.parameters.wave_speed"),
                                        ("physics", "Distance", "9999", f"{slits}.numbers.distance"),
                                        ("view", "Lowest", "9999", "run.status.view.minimum")):
            with self.subTest(field=label):
                browser.click(f"#tab-{tab}")
                browser.do("document.getElementById('messages').replaceChildren();")
                before = browser.do(f"const one = {row}; one.focus(); return [one.value, {value}];", label)
                browser.keys(text, Keys.ENTER)
                browser.wait("document.querySelector('.message-box.error')", "the reason")
                browser.rest()
                browser.keys(Keys.TAB)
                browser.do("await settled();")
                self.assertEqual(browser.do(f"return [{row}.value, {value}];", label), before)
                self.assertEqual(len(browser.all(".message-box.error")), 1)

    def test_only_chosen_settings_are_stored(self):
        browser = self.browser
        reduced = lambda value: browser.command("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-reduced-motion", "value": value}])
        self.addCleanup(browser.command, "Emulation.setEmulatedMedia", features=[])
        reduced("no-preference")
        browser.open("#scenes")
        browser.do("localStorage.clear();")
        browser.open("#scenes")
        calm = "return (await load('settings')).settings.calm"
        # Any other setting leaves reduced motion to the browser.
        browser.do("(await load('settings')).set('look', 'dark');")
        self.assertEqual(browser.plain("return JSON.parse(localStorage.getItem('perturb settings'))"), {"simple": False, "look": "dark"})
        self.assertFalse(browser.do(calm))
        reduced("reduce")
        browser.do("await frame(); await frame();")
        self.assertTrue(browser.do(calm), "the open page does not follow the browser")
        browser.open_scene("wave/rain", fresh=True)
        self.assertEqual(browser.do("return [run.playing, (await load('settings')).settings.look]"), [False, "dark"])
        # One that was chosen stays; what another tab has chosen stays, too.
        browser.plain("localStorage.setItem('perturb settings', JSON.stringify({ look: 'light', keys: false }))")
        browser.do("(await load('settings')).set('calm', false);")
        self.assertEqual(browser.plain("return JSON.parse(localStorage.getItem('perturb settings'))"),
                         {"look": "light", "keys": False, "calm": False})
        browser.open_scene("wave/rain", fresh=True)
        self.assertEqual(browser.do("return [run.playing, (await load('settings')).settings.look]"), [True, "light"])
        # An earlier page stored all of them with the first one.
        browser.plain("localStorage.setItem('perturb settings', JSON.stringify({ look: 'dark', language: '', calm: false, "
                      "colorBar: true, keys: true, sceneUnits: true }))")
        browser.open_scene("wave/rain", fresh=True)
        self.assertEqual(browser.do("return [run.playing, (await load('settings')).settings.look]"), [False, "dark"])

    def test_titles_do_not_repeat_the_unit(self):
        browser = self.browser
        browser.open("#scenes")
        titles = browser.do("""
          const { titleWithUnit } = await load("units");
          return [["Height", "height"], ["Fringe spacing, theory", "cm"], ["Wave speed", "cm/s"], ["Mean height", "height"],
            ["Number of discs", ""]].map(([label, unit]) => titleWithUnit(label, unit));
        """)
        self.assertEqual(titles, ["Height", "Fringe spacing, theory (cm)", "Wave speed, cm/s", "Mean height",
                                  "Number of discs"])

    def test_opening_scenes_leaves_no_listener(self):
        """Everything that waits for an event of the page or of the browser waits once."""
        browser = self.browser
        browser.open_scene("wave/droplet", fresh=True)
        browser.click("#tab-plots")
        scenes = ("wave/double-slit", "lbm/cylinder", "particles/gas", "wave/droplet")
        counts = []
        for _ in range(3):
            for scene in scenes:
                browser.open_scene(scene)
                browser.do("await until(() => run.diagnostics?.curves?.length); await settled();")
            browser.command("HeapProfiler.collectGarbage")
            counters = browser.command("Memory.getDOMCounters")
            counts.append(counters["jsEventListeners"])
        self.assertLess(counts[2] - counts[1], 8, f"event listeners after each round of {len(scenes)} scenes: {counts}")

    def test_page_shows_that_it_is_too_slow(self):
        browser = self.browser
        for size, where in (((1920, 1080), ".clock .throttled"), ((1366, 641), ".speed .reached"),
                ((1280, 720), ".speed .reached"), ((360, 740), ".tag-steps")):
            with self.subTest(size=size):
                browser.resize(*size)
                browser.open_scene("wave/droplet")
                seen = f"document.querySelector('{where}')?.checkVisibility() ?? false"
                height = "return document.querySelector('.stage').getBoundingClientRect().height"
                before = browser.plain(height)
                browser.do("setPlaying(true); pace.setStepsPerFrame(1 << 20);")
                # (Each measurement of the pace draws the text again.)
                words = browser.wait(f"({seen}) && document.querySelector('{where}').textContent",
                    "word of the pace that is reached")
                self.assertRegex(words, r"\d per second reached|\d of [\d\s.]+ steps per second")
                self.assertEqual(browser.plain(height), before, "the view changes its size")
                if size[0] > 1000:
                    self.assertRegex(browser.plain("return document.querySelector('.status').textContent"),
                        r"fps.*steps/s reached")
                # Every machine reaches one step per second.
                browser.do("pace.setStepsPerFrame(1 / 60);")
                browser.wait(f"!({seen})", "the end of that word")
        browser.resize(*self.size)

    def test_hint_can_be_closed(self):
        browser = self.browser
        browser.open_scene("wave/droplet", fresh=True)
        browser.pause()
        browser.click(".hint button")
        browser.wait("document.querySelector('.hint').hidden", "the end of the hint")

    def test_droplets_of_a_click_are_those_of_the_scene(self):
        browser = self.browser
        browser.open_scene("wave/ellipse", fresh=True)
        browser.pause()
        strength = lambda: browser.do("""
          await settled();
          const { brushOf } = await load("run");
          return brushOf("droplet").amplitude;""")
        change = lambda value: browser.do("""
          const { runAction } = await load("run");
          await runAction("set", { changes: { droplet_amplitude: given[0] }, merge_with_last: false });""", value)
        self.assertEqual(strength(), browser.do("return run.status.parameters.droplet_amplitude"))
        self.assertGreater(strength(), 0.2)
        change(0.5)
        self.assertEqual(strength(), 0.5)
        field = browser.find(".tool-settings .row:nth-child(2) input.number")
        self.assertEqual(float(field.get_attribute("value").replace(",", ".")), 0.5)
        field.click()
        field.send_keys("0.2", Keys.ENTER)
        self.assertEqual(strength(), 0.2)
        change(0.4)
        self.assertEqual(strength(), 0.2)

    def test_tool_of_a_fresh_scene_is_unchanged(self):
        browser = self.browser
        browser.open_scene("wave/droplet", fresh=True)
        browser.pause()
        resets = "[...document.querySelectorAll('.tool-settings .reset')].filter((one) => one.checkVisibility())"
        self.assertEqual(browser.plain(f"return {resets}.length"), 0)
        field = browser.find(".tool-settings .row:nth-child(2) input.number")
        before = field.get_attribute("value")
        field.click()
        field.send_keys("1", Keys.ENTER)
        browser.wait(f"{resets}.length === 1", "the button that restores it")
        browser.plain("document.activeElement.blur()")
        browser.plain(f"{resets}[0].click()")
        browser.wait(f"{resets}.length === 0", "the scene's value")
        self.assertEqual(field.get_attribute("value"), before)

    def test_wheel_and_two_fingers_zoom(self):
        browser = self.browser
        browser.open_scene("wave/droplet")
        browser.pause()
        x, y = (round(one) for one in browser.place(0.7, 0.6))
        under = """
          const picture = document.getElementById("view"), box = picture.getBoundingClientRect();
          const p = await call("locate", { x: given[0] - box.x, y: given[1] - box.y,
            width: Math.round(picture.clientWidth),
            height: Math.round(picture.clientHeight) });
          return [p.x, p.y, run.status.view.camera.zoom];
        """
        before = browser.do(under, x, y)
        browser.command("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=-300)
        # (The driver returns from a turn of the wheel when the page has received it; the camera moves after the pending
        # calls.)
        browser.do("await until(() => run.status.view.camera.zoom !== given[0]);", before[2])
        after = browser.do("await settled(); await settled();" + under, x, y)
        self.assertGreater(after[2], 1.2 * before[2])
        self.assertAlmostEqual(before[0], after[0], places=3)
        self.assertAlmostEqual(before[1], after[1], places=3)
        steps = browser.do("return run.status.events")
        fingers = lambda apart: [{"x": x - apart, "y": y, "id": 0}, {"x": x + apart, "y": y, "id": 1}]
        browser.command("Emulation.setTouchEmulationEnabled", enabled=True)
        browser.command("Input.dispatchTouchEvent", type="touchStart", touchPoints=fingers(30)[:1])
        browser.command("Input.dispatchTouchEvent", type="touchStart", touchPoints=fingers(30))
        for apart in (40, 50, 60):
            browser.command("Input.dispatchTouchEvent", type="touchMove", touchPoints=fingers(apart))
        browser.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
        browser.do("await until(() => run.status.view.camera.zoom > given[0]);", 1.5 * after[2])
        wider = browser.do("await settled(); await settled();" + under, x, y)
        browser.command("Emulation.setTouchEmulationEnabled", enabled=False)
        self.assertGreater(wider[2], 1.5 * after[2])
        self.assertEqual(browser.do("return run.status.events"), steps, "two fingers poke")
        browser.keys(Keys.HOME)
        self.assertTrue(browser.do("return until(() => run.status.view.camera.zoom === 1);"))


if __name__ == "__main__":
    unittest.main()
