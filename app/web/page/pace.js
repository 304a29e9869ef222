// How many steps a frame takes: as many as fall due at the speed that is set, or fewer where the machine cannot.

const most = 1 << 20;
const longestDue = 0.25; // seconds: time that was slept through is not made up for
const fewer = 0.03; // a share of the steps, or of the pictures, that is told when it is missing
const display = 60; // pictures a second
const nothingCounted = () => ({ steps: 0, frames: 0, due: 0, dropped: 0, since: performance.now() });
export const units = ["per_second", "real_time", "per_frame"];

export class Pace {
  unit = "per_second";
  rate = 60; // steps a second
  timePerStep = 0;
  reached = 0; // steps a second, as they were taken
  framesPerSecond = 0;
  // Whether fewer steps are taken than fall due, and fewer pictures shown than a display has.
  isThrottled = false;
  stutters = false;
  #due = 0;
  #asked = 0;
  #before = null; // the half second before
  #counted = nothingCounted();

  // As many steps to each of 60 frames a second.
  setStepsPerFrame(steps) {
    this.rate = 60 * Math.min(most, Math.max(1 / 64, steps));
    this.timePerStep = 0;
    this.begin();
  }
  // The run goes on after a rest, or another one begins.
  begin() {
    this.#due = 0;
    this.reached = 0;
    this.framesPerSecond = 0;
    this.isThrottled = this.stutters = false;
    this.#before = null;
    this.#counted = nothingCounted();
  }
  get speed() {
    if (this.unit === "per_second") return this.rate;
    return this.unit === "per_frame" ? this.rate / 60 : this.rate * this.timePerStep;
  }
  faster() {
    this.rate = Math.min(60 * most, this.rate * 2);
  }
  slower() {
    this.rate = Math.max(1 / 4, this.rate / 2);
  }
  nextUnit() {
    this.unit = units[(units.indexOf(this.unit) + 1) % units.length];
  }

  elapse(seconds) {
    const due = this.#due + this.rate * seconds;
    this.#due = Math.min(due, Math.max(1, this.rate * longestDue));
    this.#counted.due += this.rate * seconds;
    this.#counted.dropped += due - this.#due;
  }
  // What is due now; what cannot be done in the frame's time is dropped, and the bar says so.
  take() {
    const due = Math.floor(this.#due);
    this.#due -= due;
    this.#asked = Math.min(due, most);
    this.#counted.dropped += due - this.#asked;
    return this.#asked;
  }
  took(steps) {
    this.#counted.steps += steps;
    this.#counted.frames += 1;
    this.#counted.dropped += Math.max(0, this.#asked - steps); // (One step that is asked for by hand is none of these.)
    this.#asked = 0;
  }
  // About twice a second.
  count() {
    const now = performance.now(), seconds = (now - this.#counted.since) / 1000;
    if (seconds < 0.5) return;
    this.reached = this.#counted.steps / seconds;
    this.framesPerSecond = this.#counted.frames / seconds;
    // By what was dropped, for what is due just now comes with the next frame; and of a whole second: how a run begins is
    // no word of how it goes.
    const half = { ...this.#counted, seconds }, before = this.#before;
    if (before) {
      const sum = (name) => before[name] + half[name];
      this.isThrottled = sum("dropped") >= 1 && sum("dropped") > fewer * sum("due");
      this.stutters = this.rate >= display && sum("frames") < (1 - fewer) * display * sum("seconds");
    }
    this.#before = half;
    this.#counted = nothingCounted();
  }
}
