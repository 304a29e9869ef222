// Export and import of files: images with a caption, videos, curves, and states that the desktop program also opens.
import { drawStrip, stripTicks } from "./color_bar.js";
import { make } from "./dom.js";
import { imageSize, refreshDiagnostics, viewImage } from "./frames.js";
import { tr } from "./i18n.js";
import { addColors } from "./keep.js";
import { grouped } from "./numbers.js";
import { refusalOf } from "./remote_engine.js";
import { call, emit, endLesson, on, open, run, runIsOpen, setReopen, showMessage, showRefusal, takeRun, takeStatus } from
  "./run.js";
import { settings } from "./settings.js";
import { shownRange, shownUnit, timeText, titleWithUnit } from "./units.js";
import { valueText } from "./value_row.js";
import { withDuration } from "./webm.js";

let canvas = null;
export const setCanvas = (target) => (canvas = target);

const nameOf = (ending, { scene, simulation, steps } = run.status) =>
  `perturb-${(scene || simulation).replaceAll(/[^\w-]/g, "-")}-${steps}.${ending}`;

export function download(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  showMessage(() => tr("Saved as {} in this browser's download folder.", name));
}

// Shows the page for paper that `makePage` answers with, {page, stem}, in another tab, to be printed or saved. Where the
// browser opens no tab, it is downloaded. Returns whether it is in a tab.
export async function showPaper(makePage) {
  const tab = window.open("", "_blank"); // at once: later the browser would block it
  try {
    const { page, stem } = await makePage();
    const file = new Blob([page], { type: "text/html" });
    if (tab) tab.location.href = URL.createObjectURL(file);
    else download(file, `${stem}.html`);
    return Boolean(tab);
  } catch (error) {
    tab?.close();
    showRefusal(error);
    return false;
  }
}

// Saves the view at its size on the screen, even if the running scene is shown at a lower resolution.
export async function saveImage() {
  try {
    // Both calls in a row, without a step between them.
    const [{ image, width, height }, status] = await Promise.all([viewImage(imageSize(1, Infinity)),
      call("status")]);
    const whole = make("canvas", { width, height });
    whole.getContext("2d").putImageData(new ImageData(new Uint8ClampedArray(image), width, height), 0, 0);
    withCaption(whole, status, width / canvas.clientWidth).toBlob((blob) => {
      if (blob) download(blob, nameOf("png", status));
      else showMessage(() => tr("Cannot save the image: it is too large for this browser. Make the window " +
        "smaller."), "error");
    }, "image/png");
  } catch (error) {
    showRefusal(error);
  }
}

// ---- caption below a saved image: its scene, the time and the colour scale

const ink = "#000", paper = "#fff";

// Parameters that differ from the scene's: "Damping: 0.02".
function changes(status) {
  const infos = run.simulation.parameters.filter((one) => status.parameters[one.id] !== status.defaults?.[one.id]);
  return infos.map((info) => `${tr(info.label)}: ${valueText(info, status.parameters[info.id])}`);
}

// Breaks the text into lines no wider than `width`.
function linesOf(context, text, width) {
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line ? `${line} ${word}` : word;
    if (line && context.measureText(longer).width > width) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return line ? [...lines, line] : lines;
}

// The image with the caption below it, of the same width. `scale`: pixels of the image per pixel of the page.
function withCaption(image, status, scale) {
  const { width } = image, em = Math.max(9, Math.min(14 * scale, width / 24)), gap = 0.7 * em;
  const whole = make("canvas", { width, height: image.height }), context = whole.getContext("2d");
  const family = getComputedStyle(document.body).fontFamily;
  const small = `${em}px ${family}`, strong = `bold ${em}px ${family}`;
  context.font = small;
  const { quantities } = run.simulation, byId = (id) => quantities.find((one) => one.id === id);
  const quantity = byId(status.view.quantity) ?? quantities[0], layer = byId(status.view.layer?.quantity);
  const time = `${timeText(status)}, ${tr("step {}", grouped(status.steps))}`;
  const texts = [[tr(run.simulation.title), time, ...changes(status)].join("; "),
    layer && tr("Lines: {}", tr(layer.label)),
    (run.overlay?.instruments ?? []).map((one) => `${tr(one.name)}: ${tr(one.reading)}`).join("; ")].filter(Boolean);
  const lines = texts.flatMap((text) => linesOf(context, text, width - 2 * gap));
  const bar = settings.colorBar, barHeight = bar ? 4.6 * em : 0;
  whole.height = Math.ceil(image.height + 2 * gap + (lines.length + 1) * 1.35 * em + barHeight);
  context.fillStyle = paper;
  context.fillRect(0, 0, width, whole.height);
  context.drawImage(image, 0, 0);
  context.fillStyle = ink;
  context.textBaseline = "top";
  let y = image.height + gap;
  context.font = strong;
  context.fillText(tr(status.title), gap, y, width - 2 * gap);
  context.font = small;
  for (const line of lines) context.fillText(line, gap, (y += 1.35 * em), width - 2 * gap);
  y += 1.35 * em;
  if (bar) drawScale(context, shownRange(status.view, quantity), quantity, { left: gap, right: width - gap, top: y + 0.3 * em, em });
  return whole;
}

function drawScale(context, view, quantity, { left, right, top, em }) {
  const axis = stripTicks(view, Math.max(2, Math.floor((right - left) / (6 * em)))), strip = make("canvas", {});
  const title = [titleWithUnit(quantity.label, shownUnit(quantity).unit), axis.common].filter(Boolean).join(", ");
  context.fillText(title, left, top, right - left);
  drawStrip(strip, view.colormap, false);
  const foot = top + 1.5 * em, high = 0.9 * em;
  context.drawImage(strip, left, foot, right - left, high);
  context.textAlign = "center";
  axis.ticks.forEach((tick, i) => {
    const x = left + (tick - view.minimum) / (view.maximum - view.minimum) * (right - left);
    const half = context.measureText(axis.texts[i]).width / 2;
    context.fillRect(Math.round(x), foot + high, Math.max(1, Math.round(em / 14)), 0.35 * em);
    context.fillText(axis.texts[i], Math.min(right - half, Math.max(left + half, x)), foot + high + 0.45 * em);
  });
  context.textAlign = "left";
}

// ---- video: records the view until it is stopped

let recorder = null;
export const isRecording = () => recorder?.state === "recording";

// All frames of a video have one size, but the size of the view changes: it is coarser if painting is slow, and it
// follows the window. The view is then drawn whole in the middle of the frame.
let paintVideo = null;
on("painted", () => paintVideo?.());
function videoCanvas() {
  const even = (size) => 2 * Math.ceil(size / 2), { width, height } = imageSize(1);
  const video = make("canvas", { width: even(width), height: even(height) });
  const context = video.getContext("2d", { alpha: false });
  paintVideo = () => {
    const fits = Math.min(video.width / canvas.width, video.height / canvas.height);
    const across = canvas.width * fits, along = canvas.height * fits;
    context.fillRect(0, 0, video.width, video.height);
    context.drawImage(canvas, (video.width - across) / 2, (video.height - along) / 2, across, along);
  };
  paintVideo();
  return video;
}

async function videoFile(parts, kind, milliseconds) {
  const all = new Blob(parts, { type: kind });
  if (!kind.includes("webm")) return all;
  const head = all.slice(0, 1 << 16);
  return new Blob([withDuration(new Uint8Array(await head.arrayBuffer()), milliseconds), all.slice(head.size)],
    { type: kind });
}

export function toggleVideo() {
  if (isRecording()) return recorder.stop();
  const kind = ["video/webm;codecs=vp9", "video/webm", "video/mp4"].find((one) =>
    window.MediaRecorder?.isTypeSupported(one));
  if (!kind || !canvas.captureStream)
    return showMessage(() => tr("Cannot record a video: this browser does not support it. Save images, or open the " +
      "page in another browser."),
      "error");
  const parts = [], video = videoCanvas();
  try {
    recorder = new MediaRecorder(video.captureStream(60), { mimeType: kind, videoBitsPerSecond: 8e6 });
  } catch (error) {
    return showMessage(() => tr("Cannot start the video: {}", error.message), "error");
  }
  recorder.ondataavailable = ({ data }) => data.size && parts.push(data);
  let begun = performance.now();
  recorder.onstart = () => (begun = performance.now());
  recorder.onstop = async () => {
    const duration = performance.now() - begun;
    for (const track of recorder.stream.getTracks()) track.stop();
    paintVideo = null;
    emit("video");
    if (parts.length) download(await videoFile(parts, kind, duration), nameOf(kind.includes("mp4") ? "mp4" : "webm"));
    else showMessage(() => tr("The video is empty. Let the run play during the recording."), "error");
  };
  recorder.onerror = () => showMessage(() => tr("The recording was interrupted. The part recorded so far is " +
    "saved."), "error");
  recorder.start(1000);
  emit("video");
}

// ---- curves as CSV, in the desktop program's columns and the displayed units

// In ASCII, because spreadsheets do not expect UTF-8.
const csvUnit = (unit) => unit.replaceAll("²", "^2").replaceAll("³", "^3").replaceAll("·", "*").replaceAll("°", "deg")
  .replaceAll("µ", "u");
const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

// Without the last digits of the conversion to the displayed unit.
function digits(value) {
  if (typeof value !== "number") return "";
  // Numbers in single precision have the fewest digits that mean them: more would be those of the conversion.
  for (let count = 6; Math.fround(value) === value && count <= 9; ++count) {
    const short = Number(value.toPrecision(count));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(12));
}

export async function saveCurves() {
  let diagnostics;
  try {
    diagnostics = await call("look", { curves: true, for_files: true, scene_units: settings.sceneUnits });
  } catch (error) {
    return showRefusal(error);
  }
  const lines = ["curve,x,x_unit,y,y_unit,kind"];
  for (const curve of diagnostics.curves)
    for (const [kind, points] of [["measured", curve.points], ["theory", curve.theory ?? []]])
      for (const [x, y] of points)
        lines.push([curve.id, digits(x), csvUnit(curve.x_unit), digits(y), csvUnit(curve.y_unit), kind].map((cell) =>
          quoted(String(cell))).join(","));
  if (lines.length === 1) return showMessage(() => tr("Cannot save curves: this scene has none yet. Let it run " +
    "first."), "error");
  download(new Blob([lines.join("\n") + "\n"], { type: "text/csv" }), nameOf("csv"));
}

// ---- states

export async function saveState() {
  try {
    const { bytes } = await call("save");
    download(new Blob([bytes], { type: "application/octet-stream" }), nameOf("perturb"));
  } catch (error) {
    showRefusal(error);
  }
}

const maxBytes = 1.5e9;

export async function openFile(file) {
  if (run.remote) return showMessage(refusalOf("load_state"), "error");
  if (/\.(csv|txt)$/i.test(file.name)) return takeColors(file);
  if (/^image\//.test(file.type)) return takeImage(file);
  if (/\.toml$/i.test(file.name))
    return showMessage(() => tr("Cannot open {}: only the desktop program takes presets, lessons and tables. This page " +
      "opens saved states (.perturb), images and colours.", file.name), "error");
  if (file.size > maxBytes)
    return showMessage(() => tr("Cannot open {}: it is larger than a browser's memory. Open it in the desktop " +
      "program.", file.name), "error");
  try {
    await load(file);
    emit("loaded");
    showMessage(() => tr("Continues from {}.", file.name));
  } catch (error) {
    showRefusal(error);
  }
}

// ---- an image, as walls or otherwise

const maxImageSide = 2048; // pixels: more than the cells of any scene

async function pixelsOf(file) {
  const bitmap = await createImageBitmap(file); // turned as its camera was held
  const fits = Math.min(1, maxImageSide / Math.max(bitmap.width, bitmap.height));
  const width = Math.max(1, Math.round(bitmap.width * fits)), height = Math.max(1, Math.round(bitmap.height * fits));
  const context = make("canvas", { width, height }).getContext("2d");
  context.drawImage(bitmap, 0, 0, width, height);
  bitmap.close();
  return { width, height, bytes: context.getImageData(0, 0, width, height).data.buffer };
}

async function takeImage(file) {
  if (!runIsOpen()) return showMessage(() => tr("Open a scene first. Then drop the image on it."), "error");
  const kinds = run.simulation.actions.filter((one) => one.takes_image);
  if (!kinds.length) return showMessage(() =>
    tr("Cannot use an image in {}. Use it in the wave tank as walls or speed map, or in a flow as walls or dye.",
      tr(run.simulation.title)), "error");
  let pixels;
  try {
    pixels = await pixelsOf(file);
  } catch {
    return showMessage(() => tr("Cannot read {} as an image. Use a PNG or JPEG file.", file.name), "error");
  }
  const use = async (kind) => {
    const { bytes, ...size } = pixels;
    try {
      takeStatus(await call("use_image", { kind: kind.id, name: file.name, bytes, ...size }, [bytes]));
      run.touched = true;
      refreshDiagnostics();
      showMessage(() => `${tr(kind.label)}: ${file.name}`);
      const { note } = run.status;
      if (note) showMessage(() => tr(note));
    } catch (error) {
      showRefusal(error);
    }
  };
  if (kinds.length === 1) use(kinds[0]);
  else emit("image", { name: file.name, kinds, use });
}

async function load(file) {
  const bytes = await file.arrayBuffer();
  const status = await call("load_state", { bytes }, [bytes]);
  endLesson();
  takeRun(status, { camera: status.view.camera, fromFile: true });
  const { scene } = status;
  setReopen(scene && (() => open({ scene, live_count: true, lighter: true })), () => load(file));
}

// A user's colours, for the view. More bytes than any of their files has are not read.
async function takeColors(file) {
  try {
    const map = await addColors(file.name, await file.slice(0, 1 << 20).text());
    emit("colors", map.id);
    showMessage(() => tr("The view has the colours of {}.", map.id));
  } catch (error) {
    showRefusal(error);
  }
}

export function chooseFile() {
  if (run.remote) return showMessage(refusalOf("load_state"), "error");
  const input = make("input", { type: "file", accept: ".perturb,.csv,.txt,image/*" });
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
