"""A served run in different browsers, by http and https: join, see each other's pokes, answer, lose the network."""
import functools
import unittest

from browser import Browser
from firefox import Firefox, needs_firefox, plain_host
from served_run import ServedRun, can_serve

# Chromium with the name of this machine that Firefox is given, too: not a secure one, so that there are no WebCodecs.
PlainChromium = functools.partial(Browser, options=(f"--host-resolver-rules=MAP {plain_host} 127.0.0.1",))
far, near = (0.8, 0.2), (0.8, 0.8)  # of the view, where the water rests

# The mean colour around a place of the view.
color_at = """
const colorAt = ([x, y]) => {
  const { data, width, height } = colors(), sums = [0, 0, 0], half = 3;
  for (let j = -half; j <= half; ++j)
    for (let i = -half; i <= half; ++i)
      for (let k = 0; k < 3; ++k)
        sums[k] += data[4 * ((Math.round(y * height) + j) * width + Math.round(x * width) + i) + k];
  return sums.map((sum) => sum / (2 * half + 1) ** 2);
};
const isOther = (one, two) => one.some((value, k) => Math.abs(value - two[k]) > 10);
"""


@unittest.skipUnless(can_serve(), "there is no program that can serve: set PERTURB to its path")
class Browsers(unittest.TestCase):
    def tearDown(self):
        self.assertEqual(self.served.close(), 0)

    def meet(self, video, secure=False, **given):
        self.served = ServedRun(secure=secure)
        teacher, pupil = self.served.open_teacher(), self.served.open_pupil(**given)
        self.assertEqual(teacher.plain("return [window.askedVideo, isSecureContext]"), ["webcodecs", True])
        self.assertEqual(pupil.plain("return [window.askedVideo, isSecureContext]"), [video, video == "webcodecs"])
        for browser in (teacher, pupil):
            moves = """const seen = new Set();
              return until(() => seen.add(hash(colors().data)).size > 3);"""
            self.assertTrue(browser.do(moves), "the picture moves")
        teacher.do("(await load('run')).setPlaying(false);")
        for browser in (teacher, pupil):
            browser.do("await until(() => !run.playing); window.marks = [];"
                       "(await load('run')).on('mark', (mark) => window.marks.push(mark));")
        self.check_poke(pupil, teacher, far)
        self.check_poke(teacher, pupil, near)
        self.check_answer(teacher, pupil)
        self.check_return(pupil)
        for browser in (teacher, pupil):
            # (By http Chromium reports that it ignores the headers that isolate the page.)
            complaints = [line for line in browser.complaints() if "Cross-Origin-Opener-Policy" not in line]
            self.assertEqual(complaints, [])
            self.assertEqual(browser.messages(), "")
        self.assertEqual(pupil.plain("return window.askedVideo"), video, "it has not failed")

    def check_poke(self, poking, watching, place):
        watching.do(color_at + "window.before = colorAt(given[0]); window.marks = [];", place)
        x, y = poking.do("const box = document.getElementById('view').getBoundingClientRect();"
                         "return [box.left + given[0][0] * box.width, box.top + given[0][1] * box.height];", place)
        poking.drag([(x, y), (x, y)])
        mark = watching.do("await until(() => window.marks[0]); return window.marks[0];")
        for found, given in zip(mark["at"], place):
            self.assertAlmostEqual(found, given, delta=0.03)
        self.assertTrue(watching.do(color_at + "return until(() => isOther(colorAt(given[0]), window.before));", place),
                        "the picture shows the poke")

    def check_answer(self, teacher, pupil):
        teacher.plain("location.hash = 'l=wave/two-slits'")
        teacher.do("await until(() => run.lesson && !run.playing); await settled();")
        pupil.do("await until(() => run.lesson); await settled();")
        pupil.find("#lesson-answer").send_keys("25 / 12.5")
        pupil.click(".answer .accent")
        teacher.do("await until(() => document.querySelector('.class-dot')?.title === '25 / 12.5 cm');")
        self.assertEqual(teacher.find(".class-count").text, "1 of 1 has answered")

    def check_return(self, pupil):
        pupil.plain("window.sockets.at(-1).close()")
        self.assertTrue(pupil.do("return until(() => window.sockets.length === 2 && run.lesson?.answer &&"
                                 "window.sockets[1].readyState === 1);"))
        self.assertEqual(pupil.do("return [run.remote.name, run.lesson.answer.given]"), ["Ada", "25 / 12.5"])
        pupil.wait("document.querySelector('.connection').hidden", "the connection")

    @needs_firefox
    def test_firefox_by_http(self):
        self.meet("mse", kind=Firefox, host=plain_host)

    @needs_firefox
    def test_firefox_by_https(self):
        self.meet("webcodecs", secure=True, kind=Firefox)

    def test_chromium_by_http(self):
        self.meet("mse", kind=PlainChromium, host=plain_host)

    def test_chromium_by_https(self):
        self.meet("webcodecs", secure=True)


if __name__ == "__main__":
    unittest.main()
