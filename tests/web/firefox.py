"""Firefox without a window, for tests. Debian has no geckodriver, so selenium's driver speaks Firefox's own protocol,
Marionette: [0, id, command, parameters] and [1, id, error, result] as JSON, each after its length."""
import contextlib
import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time
import unittest

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.firefox.options import Options

from browser import Browser, full_scenes, full_view, patience

program = shutil.which("firefox-esr") or shutil.which("firefox")
# A name of this machine that is not secure, unlike 127.0.0.1: there are no WebCodecs, as in a school's network.
plain_host = "lan.test"
preferences = {
    "marionette.port": 0, "network.dns.localDomains": plain_host, "dom.security.https_first": False,
    "intl.accept_languages": "en-US", "browser.startup.page": 0, "toolkit.startup.max_resumed_crashes": -1,
    # It asks nobody for anything.
    "app.update.enabled": False, "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False}

# By selenium's names of commands. The others have the same name, with a capital letter.
names = {"get": "Navigate", "getCurrentUrl": "GetCurrentURL", "quit": "Marionette:Quit", "clickElement": "ElementClick",
         "clearElement": "ElementClear", "sendKeysToElement": "ElementSendKeys", "getElementText": "GetElementText",
         "w3cExecuteScript": "ExecuteScript", "w3cExecuteScriptAsync": "ExecuteAsyncScript",
         "actions": "PerformActions", "clearActionState": "ReleaseActions", "screenshot": "TakeScreenshot"}

# Runs scripts in each page before its own, which Marionette cannot do.
runs_first = """
const code = `
const { addDebuggerToGlobal } = ChromeUtils.importESModule("resource://gre/modules/jsdebugger.sys.mjs");
addDebuggerToGlobal(globalThis);
addEventListener("DOMWindowCreated", ({ target }) => {
  const page = target.defaultView;
  if (/^https?:/.test(page.location))
    new Debugger().makeGlobalObjectReference(page).executeInGlobal(${JSON.stringify(arguments[0])});
}, true)`;
Services.mm.loadFrameScript("data:application/javascript," + encodeURIComponent(code), true);
"""
# What Marionette runs has modules of its own: this function gives it those of the page.
own_script = """
window.importModule = (address) => import(address);
window.complaints = [];
addEventListener("error", (event) => window.complaints.push(event.message ?? `cannot load ${event.target.src}`), true);
addEventListener("unhandledrejection", (event) => window.complaints.push(String(event.reason?.stack ?? event.reason)));
addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
  window.complaints.push(`${violatedDirective}: ${blockedURI}`));
"""


def needs_firefox(test):
    """Decorates a test, or a class of tests, that is skipped without Firefox."""
    if not program:
        print(f"There is no Firefox (package firefox-esr). Skipped: {test.__qualname__}")
    return unittest.skipUnless(program, "there is no Firefox")(test)


class Marionette:
    """What selenium's driver sends its commands to."""

    def __init__(self):
        self.profile, self.next = tempfile.mkdtemp(prefix="perturb-firefox-"), 1
        lines = [f"user_pref({json.dumps(key)}, {json.dumps(value)});" for key, value in preferences.items()]
        pathlib.Path(self.profile, "user.js").write_text("\n".join(lines), encoding="utf-8")
        self.process = subprocess.Popen([program, "--headless", "--marionette", "--remote-allow-system-access",
                                         "--no-remote", "--profile", self.profile],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port, end = pathlib.Path(self.profile, "MarionetteActivePort"), time.monotonic() + patience
        while not (port.exists() and port.read_text()):
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError("Firefox has not started.")
            time.sleep(0.05)
        self.stream = socket.create_connection(("127.0.0.1", int(port.read_text()))).makefile("rwb")
        self.receive()

    def receive(self):
        length = b""
        while (byte := self.stream.read(1)) not in (b":", b""):
            length += byte
        return json.loads(self.stream.read(int(length)))

    def execute(self, command, given):
        if command == "newSession":
            given = given["capabilities"]["alwaysMatch"]
        name = names.get(command, command[0].upper() + command[1:])
        text = json.dumps([0, self.next, name if ":" in name else f"WebDriver:{name}", given or {}]).encode()
        self.next += 1
        self.stream.write(b"%d:%s" % (len(text), text))
        self.stream.flush()
        _, _, error, result = self.receive()
        if error:
            return {"status": 500, "value": json.dumps({"value": error})}
        return result if isinstance(result, dict) and set(result) == {"value"} else {"value": result}

    def close(self):
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(20)
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


class Firefox(Browser):
    """As Browser. Windows have no touch screen and no other density of pixels."""

    def __init__(self, address, width=1280, height=720, touch=False, scripts=(), simple=False):
        del touch
        self.address, options = address, Options()
        options.set_capability("acceptInsecureCerts", True)
        self.marionette = Marionette()
        try:
            self.driver = webdriver.Remote(self.marionette, options=options)
            self.marionette.execute("setTimeouts", {"script": 1000 * patience, "pageLoad": 1000 * patience})
            self.marionette.execute("Marionette:SetContext", {"value": "chrome"})
            self.plain(runs_first, "\n".join([own_script, full_scenes, *([] if simple else [full_view]), *scripts]))
            self.marionette.execute("Marionette:SetContext", {"value": "content"})
            self.resize(width, height)
        except BaseException:
            self.close()
            raise

    def close(self):
        with contextlib.suppress(Exception):
            self.marionette.execute("quit", {"flags": ["eForceQuit"]})
        self.marionette.close()

    def command(self, name, **arguments):
        raise WebDriverException(f"{name} is a command of Chromium.")

    def resize(self, width, height, touch=False, scale=1):
        del touch, scale
        frame = self.plain("return [outerWidth - innerWidth, outerHeight - innerHeight]")
        self.driver.set_window_rect(width=width + frame[0], height=height + frame[1])

    def complaints(self):
        """Errors of the page since it was loaded."""
        return self.plain("return window.complaints")
