"""The page for a class: served to a network, with QR codes of its address."""
import contextlib
import gzip
import json
import pathlib
import re
import shutil
import ssl
import subprocess
import sys
import unittest
import urllib.request

import qr_reader
from page_test import PageTest, folder

repository = pathlib.Path(__file__).resolve().parents[2]
modules_of_shown = """
  const canvas = document.querySelector("dialog .qr"), context = canvas.getContext("2d"), rows = [];
  const { data, width } = context.getImageData(0, 0, canvas.width, canvas.height);
  for (let y = 4; y < width - 4; ++y) {
    let row = "";
    for (let x = 4; x < width - 4; ++x) row += data[4 * (y * width + x)] < 128 ? "1" : "0";
    rows.push(row);
  }
  return rows;
"""


class QrCodes(unittest.TestCase):
    def test_qr_codes_of_any_length_are_readable(self):
        script = """
          import fs from "node:fs";
          const source = fs.readFileSync(process.argv[1], "utf8");
          const { qrCode } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
          const sign = (i) => String.fromCharCode(45 + (i * 7 + (i >> 3)) % 78);
          const rows = (code) => code && Array.from({ length: code.size }, (_, y) =>
            Array.from({ length: code.size }, (_, x) => (code.isDark(x, y) ? "1" : "0")).join(""));
          const texts = [0, 1, 14, 15, 17, 18, 106, 107, 154, 155, 230, 400, 858, 1465, 2331, 2332, 2953, 2954]
            .map((length) => Array.from({ length }, (_, i) => sign(i)).join(""));
          texts.push("https://example.org/#s=Überschall");
          console.log(JSON.stringify(texts.map((text) => [text, rows(qrCode(text))])));
        """
        made = subprocess.run(["node", "--input-type=module", "-e", script, str(repository / "app/web/page/qr.js")],
                              capture_output=True, text=True, check=True)
        for text, rows in json.loads(made.stdout):
            with self.subTest(length=len(text)):
                if len(text) > 2953:
                    self.assertIsNone(rows, "more than version 40 holds")
                else:
                    self.assertEqual(qr_reader.read(rows), text)

    def test_terminal_shows_the_address_and_its_code(self):
        address = "https://192.168.178.21:43210/"
        shown = subprocess.run(["node", str(repository / "app/web/qr_terminal.mjs"), address], capture_output=True,
                               text=True,
                               check=True).stdout
        lines = [re.sub("\x1b\\[[0-9;]*m", "", line) for line in shown.splitlines()]
        light = {"█": (1, 1), "▀": (1, 0), "▄": (0, 1), " ": (0, 0)}
        rows = [row for line in lines for row in zip(*(light[sign] for sign in line))]
        size = len(lines[0]) - 8
        self.assertEqual({value for row in rows[:4] for value in row}, {1}, "no quiet zone")
        self.assertEqual(qr_reader.read(["".join(str(1 - value) for value in row[4:-4]) for row in rows[4:4 + size]]),
                         address)


class Network(unittest.TestCase):
    @contextlib.contextmanager
    def served(self, *options):
        process = subprocess.Popen([sys.executable, str(repository / "app/web/serve.py"), str(folder), "0", *options],
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            line = process.stdout.readline()
            found = re.search(r"https?://\S+", line)
            if "is in none" in line:
                self.skipTest("this machine is in no network")
            self.assertIsNotNone(found, line)
            yield found.group(0), process
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()

    def fetch(self, address, **headers):
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        request = urllib.request.Request(address, headers=headers)
        with urllib.request.urlopen(request, context=trusting, timeout=30) as answer:
            return dict(answer.headers), answer.read()

    def test_text_files_are_sent_compressed(self):
        with self.served("--lan") as (address, process):
            self.assertNotIn("localhost", address)
            headers, body = self.fetch(f"{address}style.css", **{"Accept-Encoding": "gzip, br"})
            self.assertEqual(headers["Content-Encoding"], "gzip")
            self.assertEqual(headers["Cross-Origin-Opener-Policy"], "same-origin")
            self.assertEqual(gzip.decompress(body), (folder / "style.css").read_bytes())
            headers, body = self.fetch(f"{address}style.css")
            self.assertNotIn("Content-Encoding", headers)
            self.assertEqual(body, (folder / "style.css").read_bytes())
            headers, body = self.fetch(f"{address}icon.png", **{"Accept-Encoding": "gzip"})
            self.assertEqual(body, (folder / "icon.png").read_bytes())
            self.assertIn("--https", process.stdout.readline(), "what is lost without https is not said")

    @unittest.skipUnless(shutil.which("openssl"), "no openssl")
    def test_https_uses_a_self_signed_certificate(self):
        with self.served("--lan", "--https") as (address, process):
            self.assertTrue(address.startswith("https://"))
            self.assertEqual(self.fetch(f"{address}icon.png")[1], (folder / "icon.png").read_bytes())
            self.assertIn("certificate", process.stdout.readline())


class SharedLink(PageTest):
    def test_share_dialog_shows_the_code_of_its_link(self):
        browser = self.browser
        browser.open_scene("wave/double-slit", fresh=True)
        browser.pause()
        browser.do("await call('set', { changes: { damping: 0.01 }, merge_with_last: false }); await settled();")
        browser.click("#top [aria-label^='Share']")
        browser.wait("document.querySelector('dialog .qr')", "the code")
        link = browser.plain("return document.getElementById('share-link').value")
        self.assertIn("#z=", link)
        self.assertEqual(qr_reader.read(browser.plain(modules_of_shown)), link)
        self.keep_screenshot("share-code")
        browser.plain("document.querySelector('dialog').close()")


if __name__ == "__main__":
    unittest.main()
