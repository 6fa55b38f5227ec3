// SPDX-License-Identifier: BSD-3-Clause
// The messages of the trace: by size and path, those that were slow, and the pairs of ranks.
import {
  bytes_column,
  code_column,
  count_column,
  share_column,
  text_column,
  time_column,
} from "../columns";
import type { Analysis, MessageClass, PairTraffic, SlowTransfer } from "../data/analysis";
import type { Report } from "../data/report";
import { absent, h, section } from "../dom";
import type { Child } from "../dom";
import { bytes, no_value, plural, rate, size_range } from "../format";
import { make_table } from "../table";
import type { Column } from "../table";

function rate_column<Row>(
  title: string,
  value: (row: Row) => number | null,
  help?: string,
): Column<Row> {
  const text = (bytes_per_s: number | null): string =>
    bytes_per_s === null ? no_value : rate(bytes_per_s / 1e9, "GB/s");
  return {
    title,
    key: value,
    cell: (row) => text(value(row)),
    numeric: true,
    ...(help === undefined ? {} : { help }),
  };
}

const path_rate_help = "Measured on this machine for this path and size";

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
      text_column("Path", (one) => (one.between_nodes ? "between nodes" : "within a node")),
      count_column("Count", (one) => one.count),
      bytes_column("Bytes", (one) => one.bytes),
      time_column(
        "Time",
        (one) => one.seconds,
        "From the later start of send and receive to the end of the receive, summed",
      ),
      rate_column("Median rate", (one) => one.rate),
      rate_column("Path rate", (one) => one.path_rate, path_rate_help),
    ],
  });
}

function make_slow({ slow }: Analysis): Child {
  if (slow.length === 0) return null;
  return [
    h("h3", {}, "Transfers far below the path rate"),
    make_table<SlowTransfer>({
      caption: "Slow transfers",
      row_noun: "transfer",
      rows: slow,
      columns: [
        { title: "From", key: (one) => one.from, cell: (one) => `rank ${one.from}` },
        { title: "To", key: (one) => one.to, cell: (one) => `rank ${one.to}` },
        bytes_column("Size", (one) => one.bytes),
        count_column("Count", (one) => one.count),
        rate_column("Rate", (one) => one.rate),
        rate_column("Path rate", (one) => one.path_rate, path_rate_help),
        share_column(
          "Share",
          (one) => (one.path_rate > 0 ? one.rate / one.path_rate : null),
          "Rate of the transfer divided by the path rate",
        ),
        code_column("Site", (one) => one.site, "place"),
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
        count_column("From", (one) => one.from),
        count_column("To", (one) => one.to),
        count_column("Count", (one) => one.count),
        bytes_column("Bytes", (one) => one.bytes),
        time_column("Time", (one) => one.seconds),
        rate_column("Rate", (one) => (one.seconds > 0 ? one.bytes / one.seconds : null)),
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
            ? "No message could be matched to its receive."
            : "No point-to-point message was sent to another rank.",
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
