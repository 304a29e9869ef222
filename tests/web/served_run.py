"""A served run ("perturb serve") and the browsers that join it, for tests and pictures."""
import os
import pathlib
import signal
import subprocess
import tempfile

from browser import Browser

root = pathlib.Path(__file__).resolve().parents[2]
programs = [pathlib.Path(os.environ.get("PERTURB", "")), root / "build/cuda-release/app/perturb",
            root / "build/cpu-release/app/perturb"]
program = next((path for path in programs if path.is_file()), None)

# The page's sockets, so that a test can cut them as a network does, and the video that it has asked for.
keep_sockets = """{
  const Original = WebSocket;
  window.sockets = [];
  window.WebSocket = class extends Original {
    constructor(...given) {
      super(...given);
      window.sockets.push(this);
    }
    send(text) {
      window.askedVideo = JSON.parse(text).with.video ?? window.askedVideo;
      super.send(text);
    }
  };
}"""


def own_certificate(folder):
    """The options of the program for one that is made here, as in docs/manual/class.md."""
    certificate, key = f"{folder}/class.pem", f"{folder}/class-key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=Perturb",
                    "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate], check=True,
                   capture_output=True)
    return ["--certificate", certificate, "--key", key]


def can_serve():
    if not program:
        return False
    return "without Boost" not in subprocess.run([program, "serve", "no-scene"], capture_output=True, text=True).stderr


class ServedRun:
    """With `secure` by https, with a certificate that no browser knows; with `site`, a folder of the page and its
    engine, in lockstep; without a scene, with runs of their own."""

    def __init__(self, scene="wave/double-slit", secure=False, site=None):
        with tempfile.TemporaryDirectory() as folder:
            kind = [scene, "--lockstep"] if scene else ["--own-runs"]
            how = [*kind, "--page", site] if site else [scene, "--backend", "cpu"]
            self.start([program, "serve", *how, *(own_certificate(folder) if secure else [])])
        self.browsers = []

    def start(self, command):
        self.server = subprocess.Popen(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        lines = []
        while not lines or not lines[-1].startswith("Code: "):
            lines.append(self.server.stdout.readline())
            if not lines[-1]:
                raise RuntimeError("The server has not started: " + "".join(lines))
        links = [word for line in lines for word in line.split() if "/join#" in word]
        self.teacher_link = next(link for link in links if "#teacher-" in link)
        self.link = next(link for link in links if "#teacher-" not in link)

    def close(self):
        """Returns the exit status of the server."""
        for browser in self.browsers:
            browser.close()
        self.server.send_signal(signal.SIGINT)
        self.server.communicate(timeout=60)
        return self.server.returncode

    def open(self, link, kind=Browser, host="127.0.0.1", **given):
        """`host`: another name of this machine."""
        link = link.replace("127.0.0.1", host)
        browser = kind(link.partition("/join")[0] + "/", scripts=(keep_sockets,), **given)
        self.browsers.append(browser)
        browser.driver.get(link)
        return browser

    def wait_for_picture(self, browser):
        browser.wait("location.hash === '#served' && document.querySelector('#view')?.width > 16 && "
                     "document.querySelector('.transport')", "the served run")
        browser.do("return until(() => run.status && run.diagnostics);")

    def open_teacher(self, **given):
        browser = self.open(self.teacher_link, **given)
        self.wait_for_picture(browser)
        return browser

    def open_pupil(self, name="Ada", watches=False, **given):
        browser = self.open(self.link, **{"width": 390, "height": 664, "touch": True, **given})
        browser.wait("document.getElementById('name')", "the form")
        if watches:
            browser.click("#watch")
        browser.plain("document.getElementById('name').value = arguments[0];"
                      "document.querySelector('button').click();", name)
        self.wait_for_picture(browser)
        return browser
