// SPDX-License-Identifier: BSD-3-Clause
// The source around hot lines, with each line's share of the samples.
import type { Samples, SourcePart } from "../data/samples";
import { h } from "../dom";
import type { Child } from "../dom";
import { percent } from "../format";
import { file_name } from "./place";

/** Samples by line of a file: of the line itself, and with the functions that it calls. */
export interface LineCounts {
  own: number;
  with_calls: number;
}

/** The samples of each "file:line"; a line that is on a stack twice counts once. */
export function count_lines(samples: Samples): { lines: Map<string, LineCounts>; total: number } {
  const lines = new Map<string, LineCounts>();
  const places = samples.nodes.map(({ function: at, line }) => {
    const { file } = samples.functions[at]!;
    return file === "" || line === 0 ? "" : `${file}:${line}`;
  });
  const entry = (place: string): LineCounts => {
    const there = lines.get(place) ?? { own: 0, with_calls: 0 };
    lines.set(place, there);
    return there;
  };
  let total = 0;
  for (const { node, samples: taken } of samples.counts) {
    total += taken;
    const own = places[node]!;
    if (own !== "") entry(own).own += taken;
    const seen = new Set<string>();
    for (let at = node; at >= 0; at = samples.nodes[at]!.parent) {
      const place = places[at]!;
      if (place === "" || seen.has(place)) continue;
      seen.add(place);
      entry(place).with_calls += taken;
    }
  }
  return { lines, total };
}

function make_part(part: SourcePart, lines: ReadonlyMap<string, LineCounts>, total: number): Child {
  const share = (value: number): string => (value > 0 ? percent(value / total) : "");
  return part.lines.map((text, i) => {
    const number = part.first_line + i;
    const counts = lines.get(`${part.file}:${number}`) ?? { own: 0, with_calls: 0 };
    const bar = h("span", { class: "cell-bar", "aria-hidden": "true" });
    bar.style.width = `${Math.min(1, counts.own / total) * 100}%`;
    return h(
      "tr",
      { class: counts.own > 0 ? "hot" : null },
      h(
        "td",
        { class: "number" },
        counts.own === 0 ? null : h("span", { class: "cell-track" }, bar),
        share(counts.own),
      ),
      h("td", { class: "number place" }, share(counts.with_calls)),
      h("td", { class: "number place" }, String(number)),
      h("td", {}, h("code", {}, text)),
    );
  });
}

/** One folding table for each file, the hottest first and open. */
export function make_source(samples: Samples, sources: readonly SourcePart[]): Child {
  const { lines, total } = count_lines(samples);
  if (total === 0 || sources.length === 0) return null;
  const files = new Map<string, SourcePart[]>();
  for (const part of sources) files.set(part.file, [...(files.get(part.file) ?? []), part]);
  const weight = (parts: readonly SourcePart[]): number =>
    parts
      .flatMap(({ file, first_line, lines: texts }) =>
        texts.map((_, i) => lines.get(`${file}:${first_line + i}`)?.own ?? 0),
      )
      .reduce((sum, value) => sum + value, 0);
  const sorted = [...files].sort((a, b) => weight(b[1]) - weight(a[1]));
  return sorted.map(([file, parts], index) =>
    h(
      "details",
      { class: "source", open: index === 0 },
      h(
        "summary",
        {},
        h("code", { title: file }, file_name(file)),
        ` ${percent(weight(parts) / total)}`,
      ),
      h(
        "div",
        {
          class: "table-scroll",
          tabindex: "0",
          role: "region",
          "aria-label": `Source of ${file_name(file)}`,
        },
        h(
          "table",
          {},
          h(
            "thead",
            {},
            h(
              "tr",
              {},
              ["Itself", "With calls", "Line"].map((name) =>
                h("th", { scope: "col", class: "number" }, name),
              ),
              h("th", { scope: "col" }, "Source"),
            ),
          ),
          parts
            .sort((a, b) => a.first_line - b.first_line)
            .map((part) => h("tbody", {}, make_part(part, lines, total))),
        ),
      ),
    ),
  );
}
