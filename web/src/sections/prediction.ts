// SPDX-License-Identifier: BSD-3-Clause
// The page of a prediction: the curves over nodes, measured points, and notes.
import { make_measured_chart, make_scaling_chart } from "../charts/scaling";
import { text_column } from "../columns";
import type { MeasuredPoint, Prediction, Speed } from "../data/prediction";
import { h, lines, section } from "../dom";
import { exact, rate, significant } from "../format";
import { make_table } from "../table";
import { show_date } from "./header";

function speed_text({ value, low, high }: Speed): string {
  return `${rate(value, "MLUP/s")} (${exact(Math.round(low))} to ${exact(Math.round(high))})`;
}

function make_measured_table(points: readonly MeasuredPoint[]): HTMLElement {
  return make_table({
    caption: "Measured and predicted speed",
    row_noun: "point",
    rows: points,
    columns: [
      text_column("Mode", ({ mode }: MeasuredPoint) => mode),
      {
        title: "Nodes",
        numeric: true,
        key: ({ nodes }) => nodes,
        cell: ({ nodes, shares_cores }) => `${nodes}${shares_cores ? " *" : ""}`,
      },
      {
        title: "Measured",
        help: "Median of the runs and its 95 % interval",
        numeric: true,
        key: ({ speed }) => speed.value,
        cell: ({ speed, covers }) => (covers ? speed_text(speed) : rate(speed.value, "MLUP/s")),
      },
      { title: "Runs", numeric: true, key: ({ runs }) => runs, cell: ({ runs }) => String(runs) },
      {
        title: "Predicted",
        numeric: true,
        key: ({ predicted }) => predicted?.value ?? null,
        cell: ({ predicted }) => (predicted === null ? "unknown" : speed_text(predicted)),
      },
      {
        title: "Measured / predicted",
        numeric: true,
        key: ({ speed, predicted }) => (predicted === null ? null : speed.value / predicted.value),
        cell: ({ speed, predicted }) =>
          predicted === null ? "" : significant(speed.value / predicted.value),
      },
    ],
  });
}

export function make_prediction_header(prediction: Prediction): HTMLElement {
  return h(
    "header",
    { id: "top" },
    h("p", { class: "eyebrow" }, "Prediction of the Jacobi solver"),
    h("h1", { class: "unseen" }, "Plait prediction"),
    h("p", {}, h("strong", {}, prediction.verdict)),
    h("p", {}, `Created ${show_date(prediction.created)}.`),
  );
}

/** The predicted curves and, if there are any, measured points. */
export function make_prediction_sections(prediction: Prediction): readonly HTMLElement[] {
  const { measured } = prediction;
  const curves = section(
    "prediction",
    "Predicted speed",
    make_scaling_chart(prediction),
    lines(prediction.notes),
  );
  if (measured === null) return [curves];
  return [
    curves,
    section(
      "measured",
      "Measured",
      make_measured_chart(measured),
      make_measured_table(measured.points),
      lines(measured.notes),
    ),
  ];
}
