// gui/src/flame/camera.ts - which part of a chart is in sight, and how it gets there.
//
// Moves are drawn in the browser's animation frames, without rendering the components around again.
//
// SPDX-License-Identifier: Apache-2.0
import { moved, type Range, zoomed } from "./tree";

const MOVE_MS = 140;

export class Camera {
  range: Range;
  private frame = 0;
  private goal: Range | null = null;

  constructor(
    private whole: Range,
    private readonly draw: () => void,
  ) {
    this.range = { ...whole };
  }

  /** Call it for another chart: brings all of it into sight. */
  reset(whole: Range): void {
    this.stop();
    this.whole = whole;
    this.range = { ...whole };
  }

  /** The same chart, longer: what is in sight stays, unless that was all of it. */
  grow(whole: Range): void {
    if (this.isWhole) this.reset(whole);
    else this.whole = whole;
    this.request();
  }

  /** Another chart, of which a part is in sight. */
  carry(whole: Range, range: Range): void {
    this.reset(whole);
    this.range = range;
  }

  get isWhole(): boolean {
    const { from, to } = this.goal ?? this.range;
    return from <= this.whole.from && to >= this.whole.to;
  }

  /** Draws at the next frame of the browser. */
  request(): void {
    if (this.frame !== 0) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
  }

  show(range: Range): void {
    this.stop();
    this.range = range;
    this.request();
  }

  pan(by: number): void {
    this.show(moved(this.range, by, this.whole));
  }

  zoom(factor: number, fixed: number): void {
    this.show(zoomed(this.range, factor, fixed, this.whole));
  }

  home(): void {
    this.glide({ ...this.whole });
  }

  /** Moves to the goal in MOVE_MS, at once when the system asks for reduced motion. */
  glide(goal: Range): void {
    this.stop();
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) {
      this.show(goal);
      return;
    }
    const origin = { ...this.range };
    const begun = performance.now();
    this.goal = goal;
    const step = (now: number) => {
      const part = Math.min(Math.max((now - begun) / MOVE_MS, 0), 1);
      const eased = 1 - (1 - part) ** 3;
      this.range = {
        from: origin.from + (goal.from - origin.from) * eased,
        to: origin.to + (goal.to - origin.to) * eased,
      };
      this.frame = part < 1 ? requestAnimationFrame(step) : 0;
      if (part >= 1) {
        this.range = goal;
        this.goal = null;
      }
      this.draw();
    };
    this.frame = requestAnimationFrame(step);
  }

  stop(): void {
    if (this.frame !== 0) cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.goal = null;
  }
}
