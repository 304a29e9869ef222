// Pace of the run: the number of steps per frame; those due at the chosen speed, or fewer if the machine is too slow.

const reportedLoss = 0.03; // fraction of missing steps or images that is reported
const displayRate = 60; // frames per second
const nothingCounted = () => ({ steps: 0, frames: 0, due: 0, dropped: 0, since: performance.now() });
const units = ["per_second", "real_time", "per_frame"];

export class Pace {
  // The program's (app/run/pace_limits.h), from the engine's tables.
  limits = { max_steps: 1, min_rate: 0, max_rate: Infinity, max_due_seconds: 0 };
  unit = "per_second";
  rate = 60; // steps per second
  timePerStep = 0;
  reached = 0; // steps per second, measured
  framesPerSecond = 0;
  // Whether fewer steps are taken than are due, and whether fewer images are shown than the display could show.
  isThrottled = false;
  stutters = false;
  #due = 0;
  #asked = 0;
  #before = null; // the previous half second
  #counted = nothingCounted();

  // Takes this many steps in each of 60 frames per second.
  setStepsPerFrame(steps) {
    this.#setRate(60 * Math.min(this.limits.max_steps, steps));
    this.timePerStep = 0;
    this.begin();
  }
  // Call when the run resumes or another one starts.
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
    this.#setRate(this.rate * 2);
  }
  slower() {
    this.#setRate(this.rate / 2);
  }
  #setRate(rate) {
    this.rate = Math.min(this.limits.max_rate, Math.max(this.limits.min_rate, rate));
  }
  nextUnit() {
    this.unit = units[(units.indexOf(this.unit) + 1) % units.length];
  }

  elapse(seconds) {
    const due = this.#due + this.rate * seconds;
    // Longer pauses (a sleeping machine) are not made up for.
    this.#due = Math.min(due, Math.max(1, this.rate * this.limits.max_due_seconds));
    this.#counted.due += this.rate * seconds;
    this.#counted.dropped += due - this.#due;
  }
  // Number of steps due now. Steps that do not fit into the frame are dropped, and the bar shows that.
  take() {
    const due = Math.floor(this.#due);
    this.#due -= due;
    this.#asked = Math.min(due, this.limits.max_steps);
    this.#counted.dropped += due - this.#asked;
    return this.#asked;
  }
  took(steps) {
    this.#counted.steps += steps;
    this.#counted.frames += 1;
    this.#counted.dropped += Math.max(0, this.#asked - steps); // (A single manual step does not count.)
    this.#asked = 0;
  }
  // Call about twice a second.
  count() {
    const now = performance.now(), seconds = (now - this.#counted.since) / 1000;
    if (seconds < 0.5) return;
    this.reached = this.#counted.steps / seconds;
    this.framesPerSecond = this.#counted.frames / seconds;
    // Counts dropped steps, because those due just now come with the next frame. Averages over a whole second: the
    // first frames of a run are not representative.
    const half = { ...this.#counted, seconds }, before = this.#before;
    if (before) {
      const sum = (name) => before[name] + half[name];
      // Not while earlier steps are made up for: more are taken than the speed asks for.
      this.isThrottled = sum("dropped") >= 1 && sum("dropped") > reportedLoss * sum("due") &&
        this.reached < (1 - reportedLoss) * this.rate;
      // (A served run has its own frame rate, and nothing is due here.)
      this.stutters = this.rate >= displayRate && sum("due") > 0 && sum("frames") < (1 - reportedLoss) * displayRate * sum("seconds");
    }
    this.#before = half;
    this.#counted = nothingCounted();
  }
}

export const pace = new Pace();
