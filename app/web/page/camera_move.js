// Moves the camera with the pointer: the position under the pointer stays under it. The engine converts pixels to
// positions in the domain, so that this takes several of its calls, whether they are answered at once or later.

const minZoom = 0.25, maxZoom = 4000, maxPitch = 1.55;
const within = (value, low, high) => Math.min(high, Math.max(low, value));

// `call(name, request)`: a call of the engine, or a promise of its answer. `change`: the pixel `from` which the pointer
// moved and the one `to` which it moved in an image of `width` and `height`, the `factor` of the zoom, and the angles of
// a `turn`. Returns the status of the run.
export async function moveCamera(call, { from, to, width, height, factor, turn }) {
  let { view } = await call("view", {});
  if (turn) {
    const turned = await call("view", { camera: { ...view.camera, yaw: view.camera.yaw + turn[0],
      pitch: within(view.camera.pitch + turn[1], -maxPitch, maxPitch) } });
    if (!from) return turned;
    ({ view } = turned);
  }
  const positionAt = ([x, y]) => call("locate", { x, y, width, height });
  const before = await positionAt(from), zoom = within(view.camera.zoom * (factor ?? 1), minZoom, maxZoom);
  await call("view", { camera: { ...view.camera, zoom } });
  const after = await positionAt(to);
  const middle = (axis, name) => within(view.camera.center[axis] + before[name] - after[name], -2, 3);
  return call("view", { camera: { ...view.camera, zoom, center: [middle(0, "x"), middle(1, "y")] } });
}
