// gui/src/model/number.ts - numbers as people read them: the words and limits of the terminal view.
//
// SPDX-License-Identifier: Apache-2.0
import type { Unit } from "./answers";

const finite = (value: number) => (Number.isFinite(value) ? value : 0);

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(finite(value), low), high);
}

/** 1234567.8 -> "1,234,568" */
export function count(value: number): string {
  return Math.round(finite(value))
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ",");
}

export function percent(value: number): string {
  const share = clamp(value, -9999, 9999);
  return share > 0 && share < 0.5 ? "<1%" : `${Math.round(share)}%`;
}

/** With a digit behind the point below 10 %. */
export function finePercent(value: number): string {
  const share = clamp(value, -9999, 9999);
  if (share > 0 && share < 0.05) return "<0.1%";
  return `${share.toFixed(Math.abs(share) < 9.95 ? 1 : 0)}%`;
}

const two = (value: number) => value.toString().padStart(2, "0");

export function duration(seconds: number): string {
  const value = clamp(seconds, 0, 9999 * 3600);
  if (value <= 0) return "0 s";
  if (value < 0.00005) return `${Math.ceil(value * 1e6)} us`;
  if (value < 0.00995) return `${(value * 1e3).toFixed(1)} ms`;
  if (value < 0.9995) return `${(value * 1e3).toFixed(0)} ms`;
  if (value < 59.995) return `${value.toFixed(2)} s`;
  if (value < 3599.995) {
    const minutes = Math.floor((value + 0.005) / 60);
    return `${minutes}m:${Math.max(value - minutes * 60, 0).toFixed(2).padStart(5, "0")}s`;
  }
  const whole = Math.floor(value + 0.5);
  return `${Math.floor(whole / 3600)}h:${two(Math.floor((whole % 3600) / 60))}m:${two(whole % 60)}s`;
}

export function megabytes(mb: number): string {
  const limit = 9999 * 1024 * 1024;
  const value = clamp(mb, -limit, limit);
  if (value !== 0 && Math.abs(value) < 0.05) return `${(value * 1024).toFixed(1)} KB`;
  if (Math.abs(value) < 1023.95) return `${value.toFixed(1)} MB`;
  if (Math.abs(value) < 1023.995 * 1024) return `${(value / 1024).toFixed(2)} GB`;
  return `${(value / 1024 / 1024).toFixed(2)} TB`;
}

/** A value with its error where that shows: "24.9 MB ± 0.3 MB". */
export function megabytesWithError(mb: number, error_mb = 0): string {
  return error_mb >= 0.05 ? `${megabytes(mb)} ± ${megabytes(error_mb)}` : megabytes(mb);
}

function shortMegabytes(mb: number): string {
  const value = clamp(mb, 0, 999 * 1024 * 1024);
  if (value < 1) return "<1M";
  if (value < 1023.5) return `${value.toFixed(0)}M`;
  if (value < 99.995 * 1024) return `${(value / 1024).toFixed(2)}G`;
  if (value < 1023.5 * 1024) return `${(value / 1024).toFixed(0)}G`;
  return `${(value / 1024 / 1024).toFixed(0)}T`;
}

function shortRate(mbPerSecond: number): string {
  const value = clamp(mbPerSecond, 0, 9999e3);
  return value < 99999.5 ? value.toFixed(0) : `${(value / 1e3).toFixed(0)}k`;
}

function shortSeconds(seconds: number): string {
  const value = clamp(seconds, 0, 9999 * 3600);
  if (value < 0.9995) return `${(value * 1e3).toFixed(0)}ms`;
  if (value < 99.95) return `${value.toFixed(1)}s`;
  if (value < 9999.5) return `${value.toFixed(0)}s`;
  if (value < 9999.5 * 60) return `${(value / 60).toFixed(0)}m`;
  return `${(value / 3600).toFixed(0)}h`;
}

/** The text of a table's cell. */
export function cellText(unit: Unit, value: number): string {
  switch (unit) {
    case "percent":
      return `${Math.round(clamp(value, 0, 999))}%`;
    case "megabytes":
      return shortMegabytes(value);
    case "mb_per_second":
      return shortRate(value);
    case "seconds":
      return shortSeconds(value);
    case "curve":
      return "";
  }
}

/** The same number in a box, with all its digits and its unit. */
export function fullText(unit: Unit, value: number): string {
  switch (unit) {
    case "percent":
      return `${finite(value).toFixed(2)} %`;
    case "megabytes":
      return megabytes(value);
    case "mb_per_second":
      return `${megabytes(value)}/s`;
    case "seconds":
      return duration(value);
    case "curve":
      return "";
  }
}

/** "1 sample", "2 samples" */
export function countOf(value: number, singular: string, plural = `${singular}s`): string {
  return `${count(value)} ${Math.round(value) === 1 ? singular : plural}`;
}
