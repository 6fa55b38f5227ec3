// SPDX-License-Identifier: BSD-3-Clause
// Describes what the pointer or the keyboard has found: an event, a gap, or shares of time.
import { categories, category_names, rank_numbers } from "../data/timeline";
import type { TimelineRank } from "../data/timeline";
import { bytes, count, percent, plural, time } from "../format";
import { exact_time } from "./axis";
import { first_above, within } from "./events";
import type { Events } from "./events";
import type { Row } from "./layout";
import { messages_of } from "./messages";
import { spent_between } from "./model";
import type { Model, Spent } from "./model";
import type { Hit, Source } from "./rows";
import type { Span } from "./view";

export interface Description {
  title: string;
  rows: [string, string][];
}

const seconds = (ns: number): string => time(ns * 1e-9);

function rank_text(model: Model, index: number): string {
  const rank = model.timeline.ranks[index];
  return rank === undefined ? String(index) : rank_numbers(rank);
}

function list_ranks(model: Model, rows: readonly number[]): string {
  const unique = [...new Set(rows)].sort((a, b) => a - b);
  const more = unique.length > 6 ? ` and ${unique.length - 6} more` : "";
  const shown = unique.slice(0, 6).map((index) => rank_text(model, index));
  return shown.join(", ") + more;
}

/** The messages of an event, by their indices: those sent, and those that ended with it. */
export function messages_of_hit(model: Model, hit: Hit): { sent: number[]; received: number[] } {
  const messages = model.messages();
  const events = model.group(hit.row.first, hit.row.stream, hit.group)?.events;
  if (messages === null || events === undefined || hit.group !== "calls") {
    return { sent: [], received: [] };
  }
  return messages_of(messages, hit.row.first, events.begin[hit.index]!, events.end[hit.index]!);
}

function message_rows(model: Model, hit: Hit): [string, string][] {
  const messages = model.messages();
  if (messages === null) return [];
  const { sent, received } = messages_of_hit(model, hit);
  const rows: [string, string][] = [];
  const one = (i: number, partner: number, verb: string): string =>
    `${verb} rank ${rank_text(model, partner)}, tag ${messages.tag[i]!}, ` +
    `${bytes(messages.bytes[i]!)}, ${seconds(messages.end[i]! - messages.begin[i]!)} in transit`;
  const many = (indices: number[], partners: Float64Array, verb: string): string => {
    const sum = indices.reduce((total, i) => total + messages.bytes[i]!, 0);
    const ranks = list_ranks(
      model,
      indices.map((i) => partners[i]!),
    );
    return `${count(indices.length)} ${verb} ranks ${ranks}, ${bytes(sum)}`;
  };
  const [first_sent, first_received] = [sent[0], received[0]];
  if (first_sent !== undefined) {
    rows.push([
      "Message",
      sent.length === 1
        ? one(first_sent, messages.receiver[first_sent]!, "to")
        : many(sent, messages.receiver, "to"),
    ]);
  }
  if (first_received !== undefined) {
    rows.push([
      "Message",
      received.length === 1
        ? one(first_received, messages.sender[first_received]!, "from")
        : many(received, messages.sender, "from"),
    ]);
  }
  return rows;
}

/** Describes an event: call, site, partner, tag, bytes, duration, waiting. */
export function describe_event(model: Model, hit: Hit): Description | null {
  const events = model.group(hit.row.first, hit.row.stream, hit.group)?.events;
  const rank = model.timeline.ranks[hit.row.first];
  if (events === undefined || rank === undefined || hit.index >= events.count) return null;
  const shape = model.timeline.shapes[events.shape[hit.index]!];
  if (shape === undefined) return null;
  const [begin, end] = [events.begin[hit.index]!, events.end[hit.index]!];
  const split = events.split[hit.index]!;
  const size = events.bytes[hit.index]!;
  const rows: [string, string][] = [];
  const add = (name: string, value: string): void => void rows.push([name, value]);
  const stream = rank.streams[hit.row.stream];
  const thread =
    stream === undefined || stream.omp_thread < 0 ? "" : `, thread ${stream.omp_thread}`;
  add("Rank", `${rank.rank}${thread}${rank.host === "" ? "" : ` on ${rank.host}`}`);
  if (shape.place !== "") add("Site", shape.place);
  if (hit.group === "calls") {
    if (shape.partner !== null) {
      const is_rooted = shape.kind === "collective" || shape.category === "collective";
      add(is_rooted ? "Root" : "Partner", `rank ${shape.partner}`);
    }
    if (shape.wildcard) add("Source or tag", "any");
    else if (shape.tag !== null && shape.partner !== null && shape.category !== "collective") {
      add("Tag", String(shape.tag));
    }
    if (shape.comm !== "") add("Communicator", shape.comm);
    if (size > 0) add("Bytes", size >= 1024 ? `${bytes(size)} (${count(size)})` : count(size));
  }
  add("Start", exact_time(begin, Math.max(1, (end - begin) / 10)));
  add("Duration", seconds(end - begin));
  if (hit.group === "calls") {
    add("Waiting for others", model.timeline.knows_waiting ? seconds(split - begin) : "unknown");
    rows.push(...message_rows(model, hit));
  } else if (shape.kind === "work") {
    add("Idle", seconds(end - split));
  }
  return { title: shape.name, rows };
}

/** Describes what a thread does between its events. */
export function describe_gap(
  model: Model,
  row: Row,
  source: Source & { kind: "events" },
  time: number,
): Description | null {
  const rank = model.timeline.ranks[row.first];
  if (rank === undefined || time < rank.begin || time > rank.end) return null;
  if (row.kind === "ranks") return describe_computation(model, source.calls.events, rank, time);
  return source.regions === null
    ? null
    : describe_idle(model, source.openmp.events, source.regions.events, rank, time);
}

/** The time between two events. */
function gap_at(events: Events, time: number, within: Span): Span & { next: number } {
  const next = first_above(events.begin, time);
  return {
    next,
    begin: Math.max(within.begin, next > 0 ? events.reach[next - 1]! : within.begin),
    end: Math.min(within.end, next < events.count ? events.begin[next]! : within.end),
  };
}

function describe_computation(
  model: Model,
  calls: Events,
  rank: TimelineRank,
  time: number,
): Description | null {
  const { next, begin, end } = gap_at(calls, time, rank);
  if (!(end > begin)) return null;
  const name = (index: number): string =>
    model.timeline.shapes[calls.shape[index] ?? -1]?.name ?? "";
  const rows: [string, string][] = [
    ["Rank", String(rank.rank)],
    ["Duration", seconds(end - begin)],
  ];
  if (next > 0) rows.push(["After", name(next - 1)]);
  if (next < calls.count) rows.push(["Before", name(next)]);
  return { title: "Computation", rows };
}

/** Describes a thread that is in a parallel region but has no work there. */
function describe_idle(
  model: Model,
  work: Events,
  regions: Events,
  rank: TimelineRank,
  time: number,
): Description | null {
  const [first, last] = within(regions, time, time);
  for (let i = last - 1; i >= first; i -= 1) {
    const shape = model.timeline.shapes[regions.shape[i]!];
    if (shape?.kind !== "parallel" || regions.end[i]! < time) continue;
    const { begin, end } = gap_at(work, time, { begin: regions.begin[i]!, end: regions.end[i]! });
    const rows: [string, string][] = [
      ["Rank", String(rank.rank)],
      ["Duration", seconds(end - begin)],
    ];
    return { title: `Idle in ${shape.name}`, rows };
  }
  return null;
}

/** Describes shares of time, for rows that show no single events. */
export function describe_shares(
  model: Model,
  row: Row,
  spent: Spent,
  begin: number,
  end: number,
): Description {
  const rows = row.last - row.first;
  const ranks = model.count(row.first, row.last);
  const sums = spent_between(spent, begin, end);
  const shared = rows === 1 && ranks > 1;
  return {
    title: `${ranks > 1 ? "Ranks" : "Rank"} ${row.label}`,
    rows: [
      ["Time", `${exact_time(begin, end - begin)}, ${seconds(end - begin)}`],
      ...categories.flatMap((name, index): [string, string][] =>
        sums[index]! > 0
          ? [[category_names[name], percent(sums[index]! / ((end - begin) * ranks))]]
          : [],
      ),
      [
        "",
        rows > 1
          ? "click to see these ranks"
          : shared
            ? "mean of these ranks"
            : "zoom in to see single calls",
      ],
      ...(model.timeline.ranks[row.first]?.complete === false && rows === 1
        ? [
            ["", `${shared ? "some " : ""}did not reach MPI_Finalize`] satisfies [string, string],
          ]
        : []),
    ],
  };
}

/** A description in one sentence, for screen readers. */
export function sentence(description: Description): string {
  const rows = description.rows.map(([name, value]) => (name === "" ? value : `${name}: ${value}`));
  return `${description.title}. ${rows.join("; ")}`;
}

/** Messages that the page has, of those in the trace. */
function messages_sentence(shown: number, all: number): string {
  return shown < all
    ? ` Of ${plural(all, "message")}, ${count(shown)} are drawn: those that ranks waited for ` +
        "longest."
    : "";
}

/** The number of events and messages on the page, and what was left out. */
export function contents_sentence(model: Model): string {
  const { events, kept_events, messages, all_messages, windows, end, ranks } = model.timeline;
  const all = `${plural(events, "event")} and ${plural(messages.count, "message")}`;
  if (kept_events >= events) return `${all}.`;
  const of_messages = messages_sentence(messages.count, all_messages);
  const too_many = `The trace has ${count(events)} events, too many for a page.`;
  const parts = windows.map(
    ({ begin, end: until }) =>
      `${exact_time(begin, until - begin)} to ${exact_time(until, until - begin)}`,
  );
  const whole = windows.some((window) => window.begin <= 0 && window.end >= end);
  const when = whole ? "" : ` for ${parts.join(", ")}`;
  const alone = ranks.filter((rank) => rank.count === 1).length;
  if (alone < ranks.length) {
    return (
      `${too_many} Of ${count(model.count(0, ranks.length))} ranks, ${count(alone)} have rows of ` +
      `their own, with single calls${when} (${count(kept_events)} events): those that cause or ` +
      "suffer most waiting, and typical ones. The other rows are means of several ranks." +
      of_messages
    );
  }
  return (
    `${too_many} Single calls and messages are shown${when} (${count(kept_events)} events), ` +
    `elsewhere only shares of time.${of_messages}`
  );
}
