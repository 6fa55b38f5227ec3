// SPDX-License-Identifier: BSD-3-Clause
// The light, dark and print themes: which one is shown, its colours, and its changes.

/** Colours for charts: hues for any colour vision (Paul Tol's bright and vibrant). */
export interface Colours {
  text: string;
  muted: string;
  line: string;
  axis: string;
  surface: string;
  compute: string;
  mpi: string;
  idle: string;
  cpu_wait: string;
  other: string;
  waiting: string;
  /** The critical path, drawn over the others. */
  path: string;
  series: readonly string[];
  ramp: readonly string[];
  border: string;
}

const light: Colours = {
  text: "#1c2229",
  muted: "#59636e",
  line: "#e4e8ec",
  axis: "#a4adb7",
  surface: "#ffffff",
  compute: "#4477aa",
  mpi: "#ee7733",
  idle: "#d8c03c",
  cpu_wait: "#882255",
  other: "#c4c9cf",
  waiting: "#b3203a",
  path: "#111418",
  series: ["#0077bb", "#ee7733", "#009988", "#aa3377", "#cc3311", "#33bbee", "#7a7a1e", "#555c64"],
  ramp: ["#edf8b1", "#c7e9b4", "#7fcdbb", "#41b6c4", "#1d91c0", "#225ea8", "#0c2c84"],
  border: "#1c2229",
};
const dark: Colours = {
  text: "#e3e7eb",
  muted: "#9ba6b1",
  line: "#2c333b",
  axis: "#56616c",
  surface: "#1b2026",
  compute: "#5b92c9",
  mpi: "#f08a4b",
  idle: "#d3c04d",
  cpu_wait: "#d77aa8",
  other: "#5a636d",
  waiting: "#e0566e",
  path: "#ffffff",
  series: ["#4aa8e0", "#f08a4b", "#2fb8a6", "#d477ad", "#e8694f", "#7fd6f5", "#bdb95a", "#a7b0b9"],
  ramp: ["#173a63", "#225ea8", "#1d91c0", "#41b6c4", "#7fcdbb", "#c7e9b4", "#f7fcc9"],
  border: "#f4f6f8",
};

type Theme = "light" | "dark";
const dark_wanted = matchMedia("(prefers-color-scheme: dark)");
const printing = matchMedia("print");
const listeners: (() => void)[] = [];
let chosen: Theme | null = null;
let on_paper = printing.matches;

function theme(): Theme {
  if (on_paper) return "light";
  return chosen ?? (dark_wanted.matches ? "dark" : "light");
}

function apply(): void {
  document.documentElement.dataset["theme"] = theme();
  document.documentElement.classList.toggle("paper", on_paper);
  for (const listener of listeners) listener();
}

/** The colours of the current theme. */
export function colours(): Colours {
  return theme() === "dark" ? dark : light;
}

/** The width of charts on paper. */
export const paper_width_px = 644;

/** True while the page is laid out for paper. */
export function is_paper(): boolean {
  return on_paper;
}

/** Calls `listener` when the theme changes and when printing starts or ends. */
export function on_theme_change(listener: () => void): void {
  listeners.push(listener);
}

export function start_theme(): void {
  const paper = (value: boolean): void => {
    if (on_paper === value) return;
    on_paper = value;
    apply();
  };
  printing.addEventListener("change", (event) => paper(event.matches));
  addEventListener("beforeprint", () => paper(true));
  addEventListener("afterprint", () => paper(false));
  dark_wanted.addEventListener("change", apply);
  apply();
}

/** The button that changes between light and dark. */
export function make_theme_button(): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "theme-button";
  const label = (): void => {
    button.textContent = theme() === "dark" ? "Light" : "Dark";
    button.setAttribute(
      "aria-label",
      `Change to the ${theme() === "dark" ? "light" : "dark"} theme`,
    );
  };
  button.addEventListener("click", () => {
    chosen = theme() === "dark" ? "light" : "dark";
    apply();
  });
  on_theme_change(label);
  label();
  return button;
}

/** Black or white, whichever has more contrast to a colour given as three values from 0 to 1. */
export function text_on(red: number, green: number, blue: number): string {
  // The relative luminance of WCAG 2.2, with 2.2 as the exponent throughout.
  const luminance = 0.2126 * red ** 2.2 + 0.7152 * green ** 2.2 + 0.0722 * blue ** 2.2;
  return luminance > 0.18 ? "#10151a" : "#ffffff";
}
