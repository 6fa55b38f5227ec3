// SPDX-License-Identifier: BSD-3-Clause
// Formats numbers: units, significant digits, thousands separators.

const narrow_space = "\u202f";
export const no_value = "\u2013";

/** Groups the digits of the whole part by three. */
function group(digits: string): string {
  const [whole = "", fraction] = digits.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, narrow_space);
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** A number with `digits` significant digits and never an exponent. */
export function significant(value: number, digits = 3): string {
  if (value === 0) return "0";
  if (!Number.isFinite(value)) return no_value;
  // Uses the rounded value: 99.96 with three digits is 100, not 100.0.
  const magnitude = Number(value.toExponential(digits - 1).split("e")[1]);
  const decimals = Math.min(12, Math.max(0, digits - 1 - magnitude));
  return group(value.toFixed(decimals));
}

/** A whole number with thousands separators. */
export function count(value: number | null): string {
  return value === null ? no_value : group(Math.round(value).toFixed(0));
}

/** A number as it is in the data, for the tables below the charts. */
export function exact(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return no_value;
  return Number.isInteger(value) ? group(value.toFixed(0)) : group(plain(value));
}

function plain(value: number): string {
  const short = String(Number(value.toPrecision(9)));
  return short.includes("e") ? value.toFixed(15).replace(/0+$/, "") : short;
}

export interface Scale {
  factor: number;
  unit: string;
}

function scale_of(value: number, steps: readonly (readonly [number, string])[]): Scale {
  const size = Math.abs(value);
  const step = steps.find(([least]) => size >= least) ?? steps[steps.length - 1]!;
  return { factor: 1 / step[0], unit: step[1] };
}

const time_steps = [
  [1, "s"],
  [1e-3, "ms"],
  [1e-6, "\u00b5s"],
  [1e-9, "ns"],
] as const;
const byte_steps = [
  [2 ** 50, "PiB"],
  [2 ** 40, "TiB"],
  [2 ** 30, "GiB"],
  [2 ** 20, "MiB"],
  [2 ** 10, "KiB"],
  [1, "B"],
] as const;

/** The unit in which times up to `seconds` are shown. */
export function time_scale(seconds: number): Scale {
  return seconds === 0 ? { factor: 1, unit: "s" } : scale_of(seconds, time_steps);
}

export function time(seconds: number | null): string {
  if (seconds === null) return no_value;
  if (seconds === 0) return "0 s";
  const { factor, unit } = time_scale(seconds);
  return `${significant(seconds * factor)} ${unit}`;
}

/** From one time to another, in one unit. */
export function time_range(low: number, high: number): string {
  const { factor, unit } = time_scale(high);
  return `${significant(low * factor)}\u2013${significant(high * factor)} ${unit}`;
}

/** A duration for a header: seconds, then minutes and seconds, then hours and minutes. */
export function duration(seconds: number | null): string {
  if (seconds === null || seconds < 120) return time(seconds);
  const whole = Math.round(seconds);
  const two = (value: number): string => String(value).padStart(2, "0");
  if (whole < 7200) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${count(Math.floor(whole / 3600))} h ${two(Math.floor((whole % 3600) / 60))} min`;
}

export function microseconds(value: number | null): string {
  return value === null ? no_value : time(value * 1e-6);
}

/** A time for an axis: two digits. */
export function short_microseconds(value: number): string {
  const { factor, unit } = time_scale(value * 1e-6);
  return `${Number((value * 1e-6 * factor).toPrecision(2))} ${unit}`;
}

/** An amount of data. It is counted, not measured, so zeros at the end are dropped. */
export function bytes(value: number | null): string {
  if (value === null) return no_value;
  // The unit in which the rounded value is at least 1: 1 MiB, not 1024 KiB.
  const { factor, unit } = scale_of(value * (1024 / 1023.5), byte_steps);
  const digits = significant(value * factor);
  return `${digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits} ${unit}`;
}

/** Sizes in [from, to); null: no upper end. */
export function size_range(from: number, to: number | null): string {
  if (to === null) return `${bytes(from)} and more`;
  return `${bytes(from)} to ${bytes(to - 1)}`;
}

/** A size of 2^k bytes for an axis, without decimals. */
export function power_of_two(exponent: number): string {
  const { factor, unit } = scale_of(2 ** exponent, byte_steps);
  return `${2 ** exponent * factor} ${unit}`;
}

export function percent(fraction: number | null): string {
  if (fraction === null) return no_value;
  const value = fraction * 100;
  if (value !== 0 && Math.abs(value) < 0.01) return `< 0.01${narrow_space}%`;
  // 99.7 % is not rounded to 100 %, which means all.
  if (value >= 99.5 && value < 100) return `${Math.min(value, 99.9).toFixed(1)}${narrow_space}%`;
  const decimals = Math.abs(value) < 0.1 ? 2 : Math.abs(value) < 10 ? 1 : 0;
  return `${value.toFixed(decimals)}${narrow_space}%`;
}

/** A fraction as percent with three digits, where small changes count. */
export function share(fraction: number): string {
  return `${significant(fraction * 100)}${narrow_space}%`;
}

/** From one fraction to another in percent: "14.5 to 18.1 %". */
export function share_range(low: number, high: number): string {
  return `${significant(low * 100)} to ${share(high)}`;
}

/** A number with its sign; 0 has none. */
function signed(value: number, decimals: number): string {
  const digits = Math.abs(value).toFixed(decimals);
  const sign = Number(digits) === 0 ? "" : value < 0 ? "\u2212" : "+";
  return `${sign}${group(digits)}`;
}

export function signed_percent(fraction: number): string {
  return `${signed(fraction * 100, 1)}${narrow_space}%`;
}

/** The difference of two fractions in percentage points. */
export function signed_points(fraction: number): string {
  return `${signed(fraction * 100, 1)} points`;
}

/** The difference of two times; less than a nanosecond counts as no change. */
export function signed_time(seconds: number): string {
  if (Math.abs(seconds) < 1e-9) return "same";
  return `${seconds < 0 ? "\u2212" : "+"}${time(Math.abs(seconds))}`;
}

export function rate(value: number | null, unit: string): string {
  return value === null ? no_value : `${significant(value)} ${unit}`;
}

/** A short count for an axis: 1, 10, 10 k, 10 M. */
export function short_count(value: number): string {
  const { factor, unit } = scale_of(value, [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
    [1, ""],
  ]);
  const scaled = Number((value * factor).toPrecision(3));
  return unit === "" ? String(scaled) : `${scaled}${narrow_space}${unit}`;
}

/** A list of whole numbers with ranges: 0-3, 8. */
export function ranges(values: readonly number[]): string {
  const sorted = [...new Set(values)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length;) {
    let j = i;
    while (j + 1 < sorted.length && sorted[j + 1] === sorted[j]! + 1) j += 1;
    parts.push(
      j === i ? `${sorted[i]}` : `${sorted[i]}${j === i + 1 ? ", " : "\u2013"}${sorted[j]}`,
    );
    i = j + 1;
  }
  return parts.join(", ");
}

/** "1 rank", "4 ranks". */
export function plural(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
}
