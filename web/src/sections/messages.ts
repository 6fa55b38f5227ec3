// SPDX-License-Identifier: BSD-3-Clause
// Message costs on the machine: overlap, LogGP parameters, protocol switches, and curves.
import {
  has_pair_curves,
  make_all_to_all_chart,
  make_by_pair_chart,
  make_collectives_chart,
  make_pairs_chart,
} from "../charts/messages";
import { make_mixed_chart, make_overlap_chart } from "../charts/overlap";
import type { Measured, Path } from "../data/machine";
import type { Estimate, LogGp, Messages, OverlapVerdict, ProtocolSwitch } from "../data/messages";
import { h } from "../dom";
import type { Child } from "../dom";
import { bytes, microseconds, percent, time } from "../format";
import { make_table } from "../table";
import type { Column } from "../table";

/** A parameter with the larger side of its interval; for an inferred one, the range. */
function estimate_text(estimate: Estimate, unit: (value: number) => string): string {
  const { value, low, high, measured } = estimate;
  if (!measured) return `inferred: ${unit(low)} to ${unit(high)}`;
  if (value <= 0) return `${unit(value)} (up to ${unit(high)})`;
  return `${unit(value)} \u00b1 ${percent(Math.max(high - value, value - low) / value)}`;
}

interface FittedPath {
  path: Path;
  loggp: LogGp;
}

function make_loggp_table(paths: readonly Path[]): Child {
  const rows = paths.flatMap((path): FittedPath[] =>
    path.fits.loggp === null ? [] : [{ path, loggp: path.fits.loggp }],
  );
  if (rows.length === 0) return null;
  const column = (
    title: string,
    help: string,
    of: (loggp: LogGp) => Estimate,
    unit: (value: number) => string,
  ): Column<FittedPath> => ({
    title,
    help,
    numeric: true,
    key: (row) => of(row.loggp).value,
    cell: (row) => estimate_text(of(row.loggp), unit),
  });
  const by_byte = (seconds: number): string => `${time(seconds)}/B`;
  return [
    h("h3", {}, "LogGP parameters"),
    h(
      "p",
      { class: "lead" },
      "A single message of n bytes takes 2 (o + n O) + L + n G, with latency L, overheads o per " +
        "message and O per byte, and gap G per byte. g is the shortest time between messages. " +
        "Fitted to the curves, with 95 % intervals.",
    ),
    make_table<FittedPath>({
      caption: "LogGP parameters of the paths",
      row_noun: "path",
      rows,
      columns: [
        { title: "Path", key: (row) => row.path.name, cell: (row) => row.path.name },
        column("L", "Latency", (fit) => fit.latency_s, time),
        column("o", "Overhead: CPU time per message, mean of both sides", (fit) => fit.overhead_s,
          time),
        column("g", "Gap: shortest time between two messages of a pair", (fit) => fit.gap_s, time),
        column("G", "Gap per byte of a long message", (fit) => fit.seconds_per_byte, by_byte),
        column("O", "Overhead per byte: CPU time", (fit) => fit.overhead_per_byte_s, by_byte),
        {
          title: "Eager up to",
          numeric: true,
          key: (row) => row.loggp.eager_limit,
          cell: (row) => (row.loggp.eager_limit > 0 ? bytes(row.loggp.eager_limit) : "not found"),
        },
      ],
    }),
  ];
}

function make_switch_table(paths: readonly Path[]): Child {
  interface Row {
    path: string;
    found: ProtocolSwitch;
  }
  const rows = paths.flatMap((path): Row[] =>
    path.fits.switches.map((found) => ({ path: path.name, found })),
  );
  if (rows.length === 0) return null;
  return [
    h("h3", {}, "Protocol switches"),
    make_table<Row>({
      caption: "Sizes at which the protocol changes",
      row_noun: "switch",
      rows,
      columns: [
        { title: "Path", key: (row) => row.path, cell: (row) => row.path },
        {
          title: "Between",
          key: (row) => row.found.bytes,
          cell: (row) => `${bytes(row.found.bytes)} and ${bytes(row.found.beyond)}`,
        },
        {
          title: "Jump",
          numeric: true,
          key: (row) => row.found.jump_us,
          cell: (row) => microseconds(row.found.jump_us),
          help: "Jump of the one-way time, in addition to the change of slope",
        },
        {
          title: "Kind",
          key: (row) => row.found.kind,
          cell: (row) => row.found.kind.replace(/_/g, " "),
        },
      ],
    }),
  ];
}

function make_verdicts(messages: Messages): Child {
  if (messages.verdicts.length === 0) return null;
  return make_table<OverlapVerdict>({
    caption: "Do messages progress while the program computes?",
    row_noun: "verdict",
    rows: messages.verdicts,
    columns: [
      {
        title: "Setting",
        key: (row) => row.setting,
        cell: (row) => (row.setting === "" ? "default" : row.setting),
      },
      { title: "Messages", key: (row) => row.protocol, cell: (row) => row.protocol },
      {
        title: "Overlapped",
        numeric: true,
        key: (row) => row.overlapped,
        cell: (row) => percent(row.overlapped),
        help: "Share of the shorter of message and work; the worse of the two operations",
      },
      { title: "Verdict", key: (row) => row.sentence, cell: (row) => row.sentence },
    ],
  });
}

function make_overlap(messages: Messages): Child {
  const charts = [
    messages.overlap.length === 0 ? null : make_overlap_chart(messages.overlap),
    messages.mixed.length === 0 ? null : make_mixed_chart(messages.mixed),
  ];
  if (charts.every((chart) => chart === null)) return null;
  return [
    h("h3", {}, "Overlap"),
    make_verdicts(messages),
    h("div", { class: "chart-pair" }, charts),
  ];
}

/** Everything about messages except the curves of single pairs. */
export function make_messages({ paths, messages }: Measured): Child {
  const charts = [
    paths.some(has_pair_curves) ? make_pairs_chart(paths) : null,
    paths.some((path) => path.by_pair.length > 0) ? make_by_pair_chart(paths) : null,
    messages.all_to_all.length === 0 ? null : make_all_to_all_chart(messages.all_to_all),
    messages.collectives.length === 0 ? null : make_collectives_chart(messages.collectives),
  ];
  return [
    charts.every((chart) => chart === null) ? null : h("div", { class: "chart-pair" }, charts),
    make_loggp_table(paths),
    make_switch_table(paths),
    make_overlap(messages),
  ];
}
