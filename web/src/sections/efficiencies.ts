// SPDX-License-Identifier: BSD-3-Clause
// The efficiencies from a trace: the recommended definition, and all of them on request.
import type { PopSet, PopTerm } from "../data/analysis";
import type { Report } from "../data/report";
import { absent, h, section } from "../dom";
import { no_value, percent, time } from "../format";

const term_names: Readonly<Record<PopTerm, string>> = {
  parallel: "Hybrid parallel efficiency",
  mpi_parallel: "Parallel efficiency",
  cpu: "CPU",
  load_balance: "Load balance",
  communication: "Communication",
  serialization: "Serialization",
  transfer: "Transfer",
  openmp_parallel: "Threads",
  openmp_load_balance: "Load balance of threads",
  openmp_communication: "Communication of threads",
  openmp_serial: "Serial code",
  openmp_region: "Parallel regions",
};
/** Depth of a term in the tree of efficiencies. */
const depth: Readonly<Record<PopTerm, number>> = {
  parallel: 0,
  mpi_parallel: 1,
  cpu: 2,
  load_balance: 2,
  communication: 2,
  serialization: 3,
  transfer: 3,
  openmp_parallel: 1,
  openmp_load_balance: 2,
  openmp_communication: 2,
  openmp_serial: 2,
  openmp_region: 2,
};
const order: readonly PopTerm[] = [
  "parallel",
  "mpi_parallel",
  "cpu",
  "load_balance",
  "communication",
  "serialization",
  "transfer",
  "openmp_parallel",
  "openmp_load_balance",
  "openmp_communication",
  "openmp_serial",
  "openmp_region",
];

/** A table with one column for each of the sets. */
function make_table_of(sets: readonly PopSet[], caption: string): HTMLElement {
  const hybrid = sets.some((set) => set.terms.openmp_parallel !== null);
  const used = order.filter(
    (term) => sets.some((set) => set.terms[term] !== null) && (hybrid || term !== "parallel"),
  );
  const root = hybrid ? 0 : depth.mpi_parallel;
  const has_ideal = sets.some((set) => set.ideal_s !== null);
  return h(
    "div",
    { class: "table-scroll", tabindex: "0", role: "region", "aria-label": caption },
    h(
      "table",
      { class: "efficiencies" },
      h("caption", { class: "unseen" }, caption),
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "Efficiency"),
          sets.map((set) => h("th", { scope: "col", class: "number" }, set.definition)),
        ),
      ),
      h(
        "tbody",
        {},
        used.map((term) =>
          h(
            "tr",
            { "data-term": term },
            h("th", { scope: "row", class: `depth-${depth[term] - root}` }, term_names[term]),
            sets.map((set) => h("td", { class: "number" }, percent(set.terms[term]))),
          ),
        ),
        has_ideal
          ? h(
              "tr",
              {},
              h("th", { scope: "row", class: "depth-0" }, "Time on an ideal network"),
              sets.map((set) =>
                h("td", { class: "number" }, set.ideal_s === null ? no_value : time(set.ideal_s)),
              ),
            )
          : null,
      ),
    ),
  );
}

/** The recommended set, and all of them on request; null for a run without a trace. */
export function make_trace_efficiencies({
  analysis,
  analysis_problem,
}: Report): HTMLElement | null {
  if (analysis === null) {
    return analysis_problem === null
      ? null
      : section("efficiencies", "Efficiencies from the trace", absent(`${analysis_problem}.`));
  }
  const sets = analysis.efficiencies;
  const recommended = sets.filter((set) => set.recommended);
  return section(
    "efficiencies",
    "Efficiencies from the trace",
    sets.length === 0
      ? absent("No efficiency could be computed from this trace.")
      : make_table_of(recommended.length === 0 ? sets : recommended, "Efficiencies"),
    h(
      "details",
      { class: "definitions" },
      h("summary", {}, "All definitions, and what they mean"),
      sets.length > 1 ? make_table_of(sets, "Efficiencies by definition") : null,
      h(
        "dl",
        {},
        h("dt", {}, "Multiplicative"),
        h(
          "dd",
          {},
          "POP's model of factors, with one for waiting for a CPU: parallel = CPU x load balance " +
            "x communication, communication = serialization x transfer; with OpenMP, hybrid " +
            "parallel = parallel x threads.",
        ),
        h("dt", {}, "Additive"),
        h(
          "dd",
          {},
          "POP's model of losses: the loss of an efficiency is 1 minus its value, and the sum of " +
            "the losses of its parts.",
        ),
        h("dt", {}, "Replay"),
        h(
          "dd",
          {},
          "The trace is replayed on an ideal network. Serialization is the waiting that remains; " +
            "transfer is the time that the ideal network saves.",
        ),
        h("dt", {}, "Wait states"),
        h(
          "dd",
          {},
          "Serialization is the time in wait states; transfer is the rest of the time in MPI.",
        ),
      ),
    ),
  );
}
