// The sound of a probe: the engine makes samples of its readings, Web Audio plays them one block after the other. Off
// until a button is pressed.
import { tr } from "./i18n.js";
import { call, emit, on, run, showMessage, showRefusal } from "./run.js";

const blockSeconds = 0.12, leadSeconds = 0.3; // of a block; how far blocks are sent ahead
const interval = 60; // milliseconds

let audio = null, probe = 0, timer = 0, next = 0, state = { has_begun: true, periods_needed: 0 };

// 0: none.
export const playedProbe = () => probe;
export const soundHelp = () => (state.has_begun ? ""
  : tr("The sound begins when the probe has measured {} periods.", state.periods_needed));

function stop() {
  clearInterval(timer);
  probe = 0;
  audio?.close();
  audio = null;
  emit("sound");
}

let busy = false;
async function send(begins = false) {
  if (busy || !audio || next - audio.currentTime > leadSeconds) return;
  busy = true;
  const own = audio;
  try {
    const rate = own.sampleRate, answer = await call("sound", { id: probe, rate, begins,
      count: Math.ceil(blockSeconds * rate) });
    if (own !== audio) return;
    const told = state.has_begun;
    state = answer;
    if (told !== state.has_begun) emit("sound");
    const block = own.createBuffer(1, answer.samples.length, rate), source = own.createBufferSource();
    block.copyToChannel(Float32Array.from(answer.samples, (sample) => sample / 32768), 0);
    source.buffer = block;
    source.connect(own.destination);
    next = Math.max(next, own.currentTime + 0.02);
    source.start(next);
    next += block.duration;
  } catch (error) {
    if (own === audio) {
      stop();
      showRefusal(error);
    }
  } finally {
    busy = false;
  }
}

// Plays a probe, or stops it if it is being played.
export function playProbe({ id }) {
  const ends = id === probe;
  stop();
  if (ends) return;
  try {
    audio = new AudioContext();
  } catch (error) {
    return showMessage(() => tr("Cannot play sound: {}.", error.message), "error");
  }
  probe = id;
  next = 0;
  emit("sound");
  send(true);
  timer = setInterval(send, interval);
}

for (const event of ["scene", "left"]) on(event, () => probe && stop());
on("overlay", () => probe && !run.overlay.instruments.some((one) => one.id === probe) && stop());
