// How many steps a frame takes: as many as fall due at the speed that is set, or fewer where the machine cannot.

const most = 1 << 20;
const longestDue = 0.25; // seconds: time that was slept through is not made up for
const nothingCounted = () => ({ steps: 0, frames: 0, due: 0, since: performance.now() });
export const units = ["per_second", "real_time", "per_frame"];

export class Pace {
  unit = "per_second";
  rate = 60; // steps a second
  timePerStep = 0;
  reached = 0; // steps a second, as they were taken
  framesPerSecond = 0;
  // Whether fewer steps are taken than fall due.
  yields = false;
  #due = 0;
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
    this.yields = false;
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
    this.#counted.due += this.rate * seconds;
    this.#due = Math.min(this.#due + this.rate * seconds, Math.max(1, this.rate * longestDue));
  }
  // What is due now; what cannot be done in the frame's time is dropped, and the bar says so.
  take() {
    const due = Math.floor(this.#due);
    this.#due -= due;
    return Math.min(due, most);
  }
  took(steps) {
    this.#counted.steps += steps;
    this.#counted.frames += 1;
  }
  // About twice a second.
  count() {
    const now = performance.now(), seconds = (now - this.#counted.since) / 1000;
    if (seconds < 0.5) return;
    this.reached = this.#counted.steps / seconds;
    this.framesPerSecond = this.#counted.frames / seconds;
    // What is due just now comes with the next frame: of the thirty of half a second one or two.
    this.yields = this.#counted.steps < 0.9 * this.#counted.due - 1;
    this.#counted = nothingCounted();
  }
}
