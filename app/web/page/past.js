// The slider over the past that the engine keeps: drags the run back to an earlier step, from which it continues.
import { make } from "./dom.js";
import { refreshDiagnostics } from "./frames.js";
import { tr } from "./i18n.js";
import { grouped } from "./numbers.js";
import { controlsRun, on, run, runAction, setPlaying } from "./run.js";

const share = 0.05; // of the past, for a key
let wanted = null; // step to which the run returns
let isReturning = false;

// Pauses, and goes to this step. One call at a time, each with the step that is wanted then; a long way takes several.
async function returnTo(step) {
  setPlaying(false);
  wanted = Math.min(run.status.last_step, Math.max(run.status.first_step, step));
  if (isReturning) return;
  isReturning = true;
  const { generation } = run;
  while (wanted !== null) {
    const to = wanted, before = run.status.steps;
    const answer = await runAction("return_to_step", { step: to });
    refreshDiagnostics();
    const now = run.status.steps;
    if (!answer || run.playing || run.generation !== generation) wanted = null;
    else if (wanted === to && (now === to || now === before)) wanted = null;
  }
  isReturning = false;
}

export const moveInPast = (steps) => run.status && returnTo((wanted ?? run.status.steps) + steps);
export const pastShare = () => Math.max(1, Math.round(share * (run.status.last_step - run.status.first_step)));

export function pastSlider() {
  const slider = make("input", { type: "range", class: "past", "aria-label": () => tr("The past of the run"),
    title: () => tr("Drag to go back in the run; it continues from there"),
    oninput: () => returnTo(Number(slider.value)) });
  const show = () => {
    if (!run.status) return;
    // While the run plays, the status is older than the picture.
    const steps = run.playing ? run.status.last_step : wanted ?? run.status.steps;
    slider.min = String(run.status.first_step);
    slider.max = String(Math.max(run.status.last_step, run.status.first_step + 1));
    slider.value = run.playing ? slider.max : String(steps);
    slider.disabled = run.status.last_step === run.status.first_step || !controlsRun();
    slider.setAttribute("aria-valuetext", tr("step {}", grouped(steps)));
  };
  for (const event of ["status", "playing", "scene"]) on(event, show);
  return slider;
}
