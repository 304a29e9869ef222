// Export and import of files: images, videos, curves, and states that the desktop program also opens.
import { withCaption } from "./caption.js";
import { make } from "./dom.js";
import { pictureSize } from "./frames.js";
import { call, emit, endLesson, on, open, run, setReopen, showRefusal, takeRun, showMessage } from "./run.js";
import { tr } from "./i18n.js";

let canvas = null;
export const setCanvas = (target) => (canvas = target);

const nameOf = (ending) => `perturb-${(run.status.scene || run.status.simulation).replaceAll(/[^\w-]/g, "-")}-${
  run.look?.step ?? run.status.steps}.${ending}`;

function offer(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  showMessage(() => tr("Saved as {}, where this browser keeps downloads.", name));
}

// Saves the view at its size on the screen, even if the running scene is shown at a lower resolution.
export async function savePicture() {
  try {
    // Both calls in a row, without a step between them.
    const [{ picture, width, height }, status] = await Promise.all([call("picture", pictureSize(1, Infinity)), call("status")]);
    const whole = make("canvas", { width, height });
    whole.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(picture), width, height), 0, 0);
    withCaption(whole, status, width / canvas.clientWidth).toBlob((blob) => {
      if (blob) offer(blob, nameOf("png"));
      else showMessage(() => tr("The picture is too large for this browser to save: make the window smaller."), "error");
    }, "image/png");
  } catch (error) {
    showRefusal(error);
  }
}

// ---- video: records the view until it is stopped

let recorder = null;
export const isFilming = () => recorder?.state === "recording";

// All frames of a video have one size, but the size of the view changes: it is coarser if painting is slow, and it
// follows the window. The view is then drawn whole in the middle of the frame.
let shootInto = null;
on("picture", () => shootInto?.());
function filmCanvas() {
  const even = (size) => 2 * Math.ceil(size / 2), { width, height } = pictureSize(1);
  const film = make("canvas", { width: even(width), height: even(height) });
  const context = film.getContext("2d", { alpha: false });
  shootInto = () => {
    const fits = Math.min(film.width / canvas.width, film.height / canvas.height);
    const across = canvas.width * fits, along = canvas.height * fits;
    context.fillRect(0, 0, film.width, film.height);
    context.drawImage(canvas, (film.width - across) / 2, (film.height - along) / 2, across, along);
  };
  shootInto();
  return film;
}

export function toggleFilm() {
  if (isFilming()) return recorder.stop();
  const kind = ["video/webm;codecs=vp9", "video/webm", "video/mp4"].find((one) =>
    window.MediaRecorder?.isTypeSupported(one));
  if (!kind || !canvas.captureStream)
    return showMessage(() => tr("This browser makes no films: save pictures instead, or open the page in another browser."),
      "error");
  const parts = [], film = filmCanvas();
  try {
    recorder = new MediaRecorder(film.captureStream(60), { mimeType: kind, videoBitsPerSecond: 8e6 });
  } catch (error) {
    return showMessage(() => tr("The film could not be begun: {}", error.message), "error");
  }
  recorder.ondataavailable = ({ data }) => data.size && parts.push(data);
  recorder.onstop = () => {
    for (const track of recorder.stream.getTracks()) track.stop();
    shootInto = null;
    emit("film");
    if (parts.length) offer(new Blob(parts, { type: kind }), nameOf(kind.includes("mp4") ? "mp4" : "webm"));
    else showMessage(() => tr("The film is empty: let the run go on while it is taken."), "error");
  };
  recorder.onerror = () => showMessage(() => tr("The film was cut off: what there is of it is kept."), "error");
  recorder.start(1000);
  emit("film");
}

// ---- curves as CSV, in the desktop program's columns

const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

export async function saveCurves() {
  let diagnostics;
  try {
    diagnostics = await call("look", { curves: true });
  } catch (error) {
    return showRefusal(error);
  }
  const lines = ["curve,x,x_unit,y,y_unit,kind"];
  for (const curve of diagnostics.curves)
    for (const [kind, points] of [["measured", curve.points], ["theory", curve.theory ?? []]])
      for (const [x, y] of points)
        lines.push([curve.id, x, curve.x_unit, y ?? "", curve.y_unit, kind].map((cell) =>
          quoted(String(cell))).join(","));
  if (lines.length === 1) return showMessage(() => tr("There are no curves in this scene yet: let it run."), "error");
  offer(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }), nameOf("csv"));
}

// ---- states

export async function saveState() {
  try {
    const { bytes } = await call("save");
    offer(new Blob([bytes], { type: "application/octet-stream" }), nameOf("perturb"));
  } catch (error) {
    showRefusal(error);
  }
}

const mostBytes = 1.5e9;

export async function openFile(file) {
  if (/\.h5$/i.test(file.name))
    return showMessage(() => tr("{} is a file of the desktop program alone: save it there once more, under a name that " +
      "ends in .perturb, and open that.", file.name), "error");
  if (file.size > mostBytes)
    return showMessage(() => tr("{} is larger than a browser's memory: open it in the desktop program.", file.name), "error");
  try {
    const bytes = await file.arrayBuffer();
    const status = await call("load_state", { bytes }, [bytes]);
    endLesson();
    takeRun(status, { camera: status.view.camera, fromFile: true });
    const { scene } = status;
    setReopen(scene && (() => open({ scene })));
    emit("loaded");
    showMessage(() => tr("Goes on from {}.", file.name));
  } catch (error) {
    showRefusal(error);
  }
}

export function chooseFile() {
  const input = make("input", { type: "file", accept: ".perturb" });
  input.addEventListener("change", () => input.files[0] && openFile(input.files[0]));
  input.click();
}

// Accepts a file that is dropped anywhere on the page, even before the engine is ready: otherwise the browser would
// leave the page to open it.
export function takeDrops(target) {
  target.addEventListener("dragover", (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    target.classList.add("drop");
  });
  target.addEventListener("dragleave", (event) => event.relatedTarget || target.classList.remove("drop"));
  for (const end of ["drop", "dragend"]) target.addEventListener(end, () => target.classList.remove("drop"));
  target.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    openFile(file);
  });
}

