// Singing: the microphone drives the frequency of the scene. The engine finds the pitch; nothing is kept or sent.
import { make } from "./dom.js";
import { refreshDiagnostics } from "./frames.js";
import { tr } from "./i18n.js";
import { numberText } from "./numbers.js";
import { call, emit, on, run, showMessage, showRefusal, takeStatus } from "./run.js";

const samples = 2048, interval = 100; // milliseconds
let microphone = null; // {context, analyser, stream, timer, pitch}

function stop() {
  if (!microphone) return;
  clearInterval(microphone.timer);
  microphone.stream.getTracks().forEach((track) => track.stop());
  microphone.context.close();
  microphone = null;
  emit("singing");
}

let isAsking = false;
async function listen() {
  if (isAsking || !microphone) return;
  if (!run.status?.sung) return stop();
  isAsking = true;
  const heard = microphone, values = new Float32Array(samples);
  heard.analyser.getFloatTimeDomainData(values);
  try {
    const { pitch, status } = await call("sing", { samples: Array.from(values, (one) => Number(one.toFixed(4))),
      rate: heard.context.sampleRate });
    if (heard === microphone) {
      heard.pitch = pitch;
      takeStatus(status);
      emit("singing");
      refreshDiagnostics();
    }
  } catch (error) {
    stop();
    showRefusal(error);
  }
  isAsking = false;
}

// Why the browser gives no microphone, with a remedy.
function refusalText({ name }) {
  if (name === "NotFoundError")
    return tr("Cannot hear you: this device has no microphone. Connect one and try again, or move the slider.");
  if (name === "NotReadableError")
    return tr("Cannot hear you: the microphone does not open. Close programs that use it, and try again.");
  return tr("Cannot hear you: the browser does not let this page use the microphone. Allow it, and try again.");
}

async function start() {
  if (!navigator.mediaDevices?.getUserMedia)
    return showMessage(() => tr("Browsers let a page hear you only over https, or on this computer itself."), "error");
  try {
    // Made to keep speech clear, these would remove a held tone.
    const stream = await navigator.mediaDevices.getUserMedia({ audio: { echoCancellation: false,
      noiseSuppression: false, autoGainControl: false } });
    const context = new AudioContext(), analyser = new AnalyserNode(context, { fftSize: samples });
    context.createMediaStreamSource(stream).connect(analyser);
    microphone = { context, analyser, stream, timer: setInterval(listen, interval), pitch: 0 };
    showMessage(() => tr("Sing or whistle: the microphone drives the frequency. Nothing is kept or sent."));
    emit("singing");
  } catch (error) {
    showMessage(() => refusalText(error), "error");
  }
}

// Below the row of the parameter that is sung.
export function singButton() {
  const pitch = make("span", { class: "small dim", "aria-live": "off" });
  const button = make("button", { type: "button", class: "quiet", onclick: () => (microphone ? stop() : start()),
    title: () => tr("The microphone drives the frequency. Nothing is kept or sent.") });
  const show = () => {
    button.textContent = microphone ? tr("Stop singing") : tr("Sing");
    pitch.textContent = !microphone ? "" : microphone.pitch ? `${numberText(microphone.pitch, 3)} Hz` : tr("no tone");
  };
  on("singing", show);
  document.addEventListener("retranslated", show);
  show();
  return make("div", { class: "sing" }, button, pitch);
}

on("scene", () => !run.status?.sung && stop());
on("left", stop);
