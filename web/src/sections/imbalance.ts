// SPDX-License-Identifier: BSD-3-Clause
// Imbalance and network: the diagram by rank, and the most expensive calls by size.
import { make_breakdown_chart, make_imbalance_chart } from "../charts/imbalance";
import type { Report } from "../data/report";
import { absent, section } from "../dom";

/** The section; null for a run without a trace. */
export function make_imbalance({ analysis }: Report): HTMLElement | null {
  if (analysis === null) return null;
  return section(
    "imbalance",
    "Imbalance and network",
    analysis.imbalance.length === 0
      ? absent("The trace could not be replayed, so imbalance and network cannot be distinguished.")
      : make_imbalance_chart(analysis),
    analysis.breakdown.length === 0 ? null : make_breakdown_chart(analysis),
  );
}
