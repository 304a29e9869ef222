"""Images drawn with WebGL2 have the colours of the engine's."""
import unittest

from page_test import PageTest

# Counts what fills the view.
spy = """
  window.filled = { shader: 0, engine: 0 };
  const onView = (name, by) => {
    const own = CanvasRenderingContext2D.prototype[name];
    CanvasRenderingContext2D.prototype[name] = function (...all) {
      if (this.canvas.id === "view") ++window.filled[by];
      return own.apply(this, all);
    };
  };
  onView("drawImage", "shader");
  onView("putImageData", "engine");
"""
# Hides that the browser emulates the GPU: it draws the same images.
hidden = """
  const { getParameter } = WebGL2RenderingContext.prototype;
  WebGL2RenderingContext.prototype.getParameter = function (name) {
    window.gpu = this;
    return name === 0x9246 ? "GPU" : getParameter.call(this, name); // UNMASKED_RENDERER_WEBGL
  };
"""
swiftshader = ("--use-angle=swiftshader", "--enable-unsafe-swiftshader")

# Repaints the paused view; returns what filled it, and how its colours differ from the engine's.
compare = """
  const { showAgain } = await load("frames");
  const fill = async () => {
    const before = { ...window.filled };
    showAgain();
    await settled();
    return Object.keys(before).filter((by) => window.filled[by] > before[by]).join();
  };
  const difference = async () => {
    const by = await fill(), shown = colors();
    const { image } = await call("image", { width: shown.width, height: shown.height });
    const expected = new Uint8Array(image);
    let pixels = 0, most = 0;
    for (let k = 0; k < expected.length; k += 4) {
      let here = 0;
      for (let c = 0; c < 4; ++c) here = Math.max(here, Math.abs(shown.data[k + c] - expected[k + c]));
      most = Math.max(most, here);
      if (here > 1) ++pixels;
    }
    return { by, most, share: pixels / (expected.length / 4), colors: new Set(new Uint32Array(image)).size };
  };
"""

# A shader may round the last digit of an interpolated value differently: of a pixel that is on the edge between two
# colours of the table it may then take the other one.
at_edges = 1e-4


class WithWebGl(PageTest):
    size = (900, 560)
    scripts = (spy, hidden)
    options = swiftshader

    def open(self, scene, steps):
        self.browser.open_scene(scene, fresh=True)
        self.browser.restart()
        self.browser.step(steps)
        self.assertTrue(self.browser.do(compare + "return until(async () => (await fill()) === 'shader')"),
            f"{scene}: the shader draws nothing")

    def check(self, **view):
        """Returns the number of colours in the image."""
        found = self.browser.do(compare + "await call('view', given[0]); return difference();", view)
        with self.subTest(view=view):
            self.assertEqual(found["by"], "shader")
            self.assertLessEqual(found["share"], at_edges, found)
        return found["colors"]

    def check_all(self, scene, steps, quantities, near):
        """Compares the whole scene, a part that is larger than its cells, and one that is smaller and has an outside."""
        self.open(scene, steps)
        with self.subTest(scene=scene):
            for quantity in quantities:
                seen = [self.check(quantity=quantity, smooth=True, camera={"center": [0.5, 0.5], "zoom": 1}),
                    self.check(quantity=quantity, smooth=True, camera={"center": near, "zoom": 11.3}),
                    self.check(quantity=quantity, smooth=False, camera={"center": near, "zoom": 11.3}),
                    self.check(quantity=quantity, smooth=False, camera={"center": [0.1, 0.8], "zoom": 0.7})]
                self.assertGreater(max(seen), 2, f"{quantity}: the images show nothing")

    def test_shader_paints_waves_like_the_engine(self):
        # Without walls; with walls, a source and a screen; with slower water; with both.
        self.check_all("wave/droplet", 200, ["water", "height", "velocity"], [0.4, 0.5])
        self.check(quantity="water", colormap="viridis", camera={"center": [0.5, 0.5], "zoom": 1})
        self.check_all("wave/double-slit", 900, ["height", "intensity"], [0.3, 0.5])
        self.check_all("wave/lens", 900, ["height", "speed"], [0.3, 0.5])
        self.check_all("wave/harbour", 300, ["water"], [0.4, 0.5])

    def test_shader_paints_flows_like_the_engine(self):
        # With outlines and a probe; with many walls; with dye; with streamlines; with arrows.
        self.check_all("lbm/cylinder", 300, ["vorticity", "speed", "density"], [0.25, 0.5])
        self.check_all("lbm/porous", 200, ["velocity_x", "velocity_y"], [0.5, 0.5])
        self.check_all("lbm/sheet", 100, ["dye"], [0.5, 0.5])
        self.check_all("lbm/cavity", 400, ["speed"], [0.5, 0.85])
        self.check_all("lbm/channel", 400, ["speed"], [0.5, 0.5])

    def test_engine_paints_what_the_shader_cannot(self):
        for scene in ("wave/surface", "fibers/pair"):
            with self.subTest(scene=scene):
                self.browser.open_scene(scene, fresh=True)
                self.browser.pause()
                self.assertEqual(self.browser.do(compare + "return fill()"), "engine")
        # A layer is drawn over the engine's image.
        self.open("wave/lens", 50)
        self.browser.do("await call('view', { layer: { quantity: 'speed' } });")
        self.assertEqual(self.browser.do(compare + "return fill()"), "engine")

    def test_lost_context_is_replaced_by_the_engine(self):
        browser = self.browser
        self.open("wave/droplet", 100)
        by = browser.do(compare + """
          const lose = window.gpu.getExtension("WEBGL_lose_context");
          lose.loseContext();
          const engine = await until(async () => (await fill()) === "engine");
          const found = await difference();
          lose.restoreContext();
          return [engine, found.most, await until(async () => (await fill()) === "shader"), await difference()];
        """)
        self.assertEqual(by[:3], [True, 0, True])
        self.assertLessEqual(by[3]["share"], at_edges)
        self.assertEqual(browser.messages().strip(), "")


class WithEmulatedGpu(PageTest):
    scripts = (spy, """
      const { getContext } = HTMLCanvasElement.prototype;
      HTMLCanvasElement.prototype.getContext = function (kind, options) {
        const context = getContext.call(this, kind, options);
        if (kind === "webgl2") window.webgl = Boolean(context);
        return context;
      };
    """)
    options = swiftshader

    def test_engine_paints_if_the_gpu_is_emulated(self):
        self.browser.open_scene("wave/droplet", fresh=True)
        self.browser.pause()
        webgl, by = self.browser.do(compare + "return [window.webgl, await fill()];")
        self.assertTrue(webgl, "this browser has no WebGL2")
        self.assertEqual(by, "engine")


if __name__ == "__main__":
    unittest.main()
