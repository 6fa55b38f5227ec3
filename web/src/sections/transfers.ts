// SPDX-License-Identifier: BSD-3-Clause
// The messages of the trace: by size and path, those that were slow, and the heaviest pairs.
import type { Analysis, MessageClass, PairTraffic, SlowTransfer } from "../data/analysis";
import type { Report } from "../data/report";
import { absent, h, section } from "../dom";
import type { Child } from "../dom";
import { bytes, count, no_value, percent, plural, rate, size_range, time } from "../format";
import { make_table } from "../table";

const gbs = (value: number | null): string =>
  value === null ? no_value : rate(value / 1e9, "GB/s");

function make_classes({ classes }: Analysis): Child {
  return make_table<MessageClass>({
    caption: "Messages by size",
    row_noun: "size class",
    rows: classes,
    columns: [
      {
        title: "Size",
        key: (one) => one.from_bytes,
        cell: (one) => size_range(one.from_bytes, one.to_bytes),
      },
      {
        title: "Path",
        key: (one) => String(one.between_nodes),
        cell: (one) => (one.between_nodes ? "between nodes" : "within a node"),
      },
      { title: "Count", key: (one) => one.count, cell: (one) => count(one.count), numeric: true },
      { title: "Bytes", key: (one) => one.bytes, cell: (one) => bytes(one.bytes), numeric: true },
      {
        title: "Time",
        help: "From the later of send and receive to the end of the receive, summed",
        key: (one) => one.seconds,
        cell: (one) => time(one.seconds),
        numeric: true,
      },
      { title: "Median rate", key: (one) => one.rate, cell: (one) => gbs(one.rate), numeric: true },
      {
        title: "Path's rate",
        help: "Measured on this machine for this path and size",
        key: (one) => one.path_rate,
        cell: (one) => gbs(one.path_rate),
        numeric: true,
      },
    ],
  });
}

function make_slow({ slow }: Analysis): Child {
  if (slow.length === 0) return null;
  return [
    h("h3", {}, "Far below the path's speed"),
    make_table<SlowTransfer>({
      caption: "Slow transfers",
      row_noun: "transfer",
      rows: slow,
      columns: [
        {
          title: "From",
          key: (one) => one.from,
          cell: (one) => `rank ${one.from}`,
        },
        { title: "To", key: (one) => one.to, cell: (one) => `rank ${one.to}` },
        { title: "Size", key: (one) => one.bytes, cell: (one) => bytes(one.bytes), numeric: true },
        { title: "Count", key: (one) => one.count, cell: (one) => count(one.count), numeric: true },
        { title: "Rate", key: (one) => one.rate, cell: (one) => gbs(one.rate), numeric: true },
        {
          title: "Path's rate",
          key: (one) => one.path_rate,
          cell: (one) => gbs(one.path_rate),
          numeric: true,
        },
        {
          title: "Of it",
          key: (one) => (one.path_rate > 0 ? one.rate / one.path_rate : null),
          cell: (one) => percent(one.path_rate > 0 ? one.rate / one.path_rate : null),
          numeric: true,
        },
        {
          title: "Site",
          key: (one) => one.site,
          cell: (one) => h("code", { class: "place" }, one.site),
        },
      ],
    }),
  ];
}

function make_pairs({ pairs }: Analysis): Child {
  if (pairs.length === 0) return null;
  return h(
    "details",
    { class: "data" },
    h("summary", {}, `Data: ${plural(pairs.length, "pair")} of ranks`),
    make_table<PairTraffic>({
      caption: "Pairs of ranks",
      row_noun: "pair",
      rows: pairs,
      sorted_by: 3,
      descending: true,
      columns: [
        { title: "From", key: (one) => one.from, cell: (one) => count(one.from), numeric: true },
        { title: "To", key: (one) => one.to, cell: (one) => count(one.to), numeric: true },
        { title: "Count", key: (one) => one.count, cell: (one) => count(one.count), numeric: true },
        { title: "Bytes", key: (one) => one.bytes, cell: (one) => bytes(one.bytes), numeric: true },
        {
          title: "Time",
          key: (one) => one.seconds,
          cell: (one) => time(one.seconds),
          numeric: true,
        },
        {
          title: "Rate",
          key: (one) => (one.seconds > 0 ? one.bytes / one.seconds : null),
          cell: (one) => gbs(one.seconds > 0 ? one.bytes / one.seconds : null),
          numeric: true,
        },
      ],
    }),
  );
}

/** The section; null for a run without a trace. */
export function make_transfers({ analysis }: Report): HTMLElement | null {
  if (analysis === null) return null;
  return section(
    "transfers",
    "Messages of the trace",
    analysis.messages === 0
      ? absent(
          analysis.without_partner > 0
            ? "No message was matched to its receive."
            : "No rank sent a message to another but by collective calls, windows or files.",
        )
      : [
          h(
            "p",
            { class: "lead" },
            `${plural(analysis.messages, "message")}, ${bytes(analysis.message_bytes)}.`,
          ),
          make_classes(analysis),
          make_slow(analysis),
          make_pairs(analysis),
        ],
  );
}
