"""Headless browser with helper functions for tests of the page."""
import base64
import contextlib
import shutil
import tempfile
import time
import zlib

from selenium import webdriver
from selenium.common.exceptions import JavascriptException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

patience = 150  # seconds until a page without an answer counts as dead, also on a busy machine; not a measured time

# Modules of the page: `run` holds its state, `call` calls the engine.
modules = """
const load = (name) => (window.importModule ?? ((address) => import(address)))(new URL(name + ".js", document.baseURI));
const { run, call, setPlaying } = await load("run");
const { refreshDiagnostics, imageSize } = await load("frames");
const { pace } = await load("pace");
const frame = () => new Promise((done) => requestAnimationFrame(done));
// Waits until the current frame and the next one have been shown.
const settled = async () => {
  const there = () => call("status").catch(() => 0);
  refreshDiagnostics(); await there(); await frame(); await frame(); await there(); await frame(); };
// Waits until the engine has processed all pointer input: press, move and release of a drag are sent one after the
// other's answer, and events of one frame are sent with the next one.
const quiet = async () => {
  let events;
  do {
    events = run.status.events;
    for (let k = 0; k < 2; ++k) await frame();
    for (let k = 0; k < 3; ++k) await call("status").catch(() => 0);
  } while (run.status.events !== events);
};
const colors = () => {
  const canvas = document.getElementById("view");
  return canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
};
// Waits frame by frame until a condition, which may be a promise, holds. Returns whether it does within two minutes.
const until = async (condition) => {
  const end = performance.now() + 120000;
  let there;
  while (!(there = await condition()) && performance.now() < end) await frame();
  return Boolean(there);
};
// One function for all calls, compiled once; reads four bytes at a time.
const hash = (window.hashOfImage ??= (data) => {
  let sum = 7;
  for (const value of new Uint32Array(data.buffer)) sum = (Math.imul(sum, 31) + value) | 0;
  return sum;
});
"""


def packed(text):
    """Packs a text into a link as the page does: deflate without a header, base64 for addresses."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = deflate.compress(text.encode()) + deflate.flush()
    return "#z=" + base64.urlsafe_b64encode(data).decode().rstrip("=")


# Tests open every scene as in its preset, however slow or busy the machine is, except where they test that choice.
full_scenes = """{
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    if (message?.request?.lighter && !window.opensLighter) delete message.request.lighter;
    return post.call(this, message, ...rest);
  };
}"""


# Most tests use the full view of the panels, as a user who has chosen it.
full_view = """try {
  const key = "perturb settings";
  localStorage.setItem(key, localStorage.getItem(key) ?? JSON.stringify({ simple: false }));
} catch { /* a page that stores nothing */ }"""


class Browser:
    def __init__(self, address, width=1280, height=720, touch=False, options=(), scripts=(), scale=1, simple=False):
        self.address = address
        self.profile = tempfile.mkdtemp(prefix="perturb-browser-")
        chosen = Options()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
            "--lang=en-US",
                     "--disable-dev-shm-usage", "--mute-audio", f"--user-data-dir={self.profile}", *options):
            chosen.add_argument(word)
        chosen.set_capability("acceptInsecureCerts", True)
        chosen.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        chosen.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or "chromium"
        self.driver = webdriver.Chrome(options=chosen, service=Service(shutil.which("chromedriver") or "chromedriver"))
        self.driver.set_script_timeout(patience)
        self.driver.set_page_load_timeout(patience)
        for script in (full_scenes, *([] if simple else [full_view]), *scripts):
            self.command("Page.addScriptToEvaluateOnNewDocument", source=script)
        self.resize(width, height, touch, scale)

    def close(self):
        with contextlib.suppress(Exception):
            self.driver.quit()
        shutil.rmtree(self.profile, ignore_errors=True)

    def command(self, name, **arguments):
        return self.driver.execute_cdp_cmd(name, arguments)

    def resize(self, width, height, touch=False, scale=1):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
            mobile=touch)
        self.command("Emulation.setTouchEmulationEnabled", enabled=touch)

    def do(self, script, *arguments):
        """Runs JavaScript that may await and use the page's modules; returns its result."""
        wrapped = f"""
        const done = arguments[arguments.length - 1], given = Array.from(arguments).slice(0, -1);
        (async () => {{ {modules} {script} }})().then((value) => done({{ value }}), (error) =>
          done({{ error: String(error.stack || error) }}));
        """
        answer = self.driver.execute_async_script(wrapped, *arguments)
        if "error" in answer:
            raise JavascriptException(answer["error"])
        return answer.get("value")

    def plain(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def wait(self, condition, what):
        """Waits until `condition`, an expression in JavaScript, is true."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            value = self.plain(f"return {condition}")
            if value:
                return value
            time.sleep(0.02)
        said = self.plain("return document.body.innerText")[:400]
        raise AssertionError(f"{what} did not come; the page shows: {said}")

    def go(self, hash_="", query="", fresh=True):
        """Loads the page, or only changes its hash; does not wait."""
        if fresh:
            self.driver.get("about:blank")
            self.driver.get(f"{self.address}{query}{hash_}")
        else:
            self.plain("location.hash = arguments[0]", hash_)

    def open(self, hash_="", query="", fresh=True):
        """The same; waits until the page is ready."""
        self.go(hash_, query, fresh)
        self.wait("document.documentElement.dataset.engine ?? document.querySelector('.failed')", "the page")

    def open_scene(self, scene, fresh=False):
        if fresh or not self.driver.current_url.startswith(self.address):
            self.open(f"#s={scene}")
        else:
            self.open(f"#s={scene}", fresh=False)
        self.wait_for_scene(scene)

    def wait_for_scene(self, scene):
        self.do("""
          await until(() => run.status?.scene === given[0] && document.documentElement.dataset.page === "run");
          const said = document.getElementById("messages").innerText;
          if (run.status?.scene !== given[0]) throw new Error(`the scene ${given[0]} did not come: ${said}`);
          await settled();
        """, scene)

    def pause(self):
        self.do("setPlaying(false); await settled();")

    def step(self, steps):
        """Takes this number of steps while the page is paused."""
        left = steps
        while left > 0:
            left -= self.do("""
              setPlaying(false);
              return (await call("advance", { steps: given[0], milliseconds: 8000 })).steps;
            """, left)
        self.do("await settled();")

    def steps(self):
        return self.do("return (await call('status')).steps")

    def restart(self, keep_built=False):
        """Restarts the run, paused: the number of steps since its opening depends on the machine."""
        self.do("setPlaying(false); await settled(); await call('restart', { keep_built: given[0] }); await settled();",
            keep_built)

    def rest(self):
        """Waits until all pointer input has been processed."""
        self.do("await quiet(); await settled();")

    def open_menu(self):
        """Opens the menu of the bar below the view."""
        self.plain("const list = document.getElementById('bar-menu'); "
                   "if (list.hidden) document.querySelector('[aria-controls=bar-menu]').click()")

    def image_hash(self):
        """Returns a checksum of the canvas."""
        return self.do("await settled(); return hash(colors().data);")

    def wait_for_address(self, condition):
        """Waits until the address is a link to the changed scene whose `request` satisfies `condition`, an expression
        in JavaScript; returns that request. A change reaches the address only some time after it is made, so an address
        that starts with "#z=" may still hold the state before the last change."""
        return self.do(f"""
          const {{ readHash }} = await load("link");
          let request = null;
          const there = await until(async () => {{
            request = location.hash.startsWith("#z=") ? (await readHash(location.hash)).request : null;
            return request && ({condition});
          }});
          if (!there) throw new Error(`the address does not hold ${{given[0]}}: ${{JSON.stringify(request)}}`);
          return request;
        """, condition)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector):
        self.find(selector).click()

    def keys(self, *keys):
        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    def chord(self, modifier, key):
        ActionChains(self.driver, duration=0).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def place(self, x, y):
        """Converts a position in the domain, in fractions, to pixels of the window (flat scenes)."""
        return self.do("""
          const box = document.getElementById("view").getBoundingClientRect(), { camera } = run.status.view;
          const [across, along] = run.status.domain, unit = Math.max(across / box.width,
            along / box.height) / camera.zoom;
          return [box.left + box.width / 2 + (given[0] - camera.center[0]) * across / unit,
                  box.top + box.height / 2 - (given[1] - camera.center[1]) * along / unit];
        """, x, y)

    def drag(self, places, button=0, kind="mouse"):
        """Drags the pressed pointer along these points of the window."""
        builder = ActionBuilder(self.driver, mouse=PointerInput(kind, "pointer"), duration=5)
        pointer = builder.pointer_action
        pointer.move_to_location(round(places[0][0]), round(places[0][1]))
        pointer.pointer_down(button=button)
        for x, y in places[1:]:
            pointer.move_to_location(round(x), round(y))
        if kind == "touch":
            pointer.pause(0.12)
        pointer.pointer_up(button=button)
        builder.perform()
        builder.clear_actions()

    def touch(self, x, y):
        self.command("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        self.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def touch_along(self, places):
        """Moves one finger along these points."""
        for kind, (x, y) in zip(["touchStart"] + ["touchMove"] * (len(places) - 1), places):
            self.command("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y}])
        self.command("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def messages(self):
        return self.plain("return document.getElementById('messages').innerText")

    def complaints(self):
        """Errors on the console since the last call."""
        return [line["message"] for line in self.driver.get_log("browser") if line["level"] == "SEVERE"]


__all__ = ["Browser", "Keys", "packed", "patience"]
