// SPDX-License-Identifier: BSD-3-Clause
// Messages from the begin of the send to the end of the receive; search by time and by event.
import type { Packed } from "../data/timeline";
import { read_columns } from "./columns";
import { first_above } from "./events";

export interface Messages {
  count: number;
  begin: Float64Array;
  end: Float64Array;
  sender: Float64Array;
  receiver: Float64Array;
  bytes: Float64Array;
  tag: Float64Array;
  /** The latest end so far. */
  reach: Float64Array;
}

/** Unpacks the messages in steps; damaged data give no messages. */
export function* unpack_messages(packed: Packed): Generator<void, Messages> {
  const columns = yield* read_columns(packed.columns, packed.count, [
    "signed",
    "signed",
    "unsigned",
    "unsigned",
    "signed",
    "signed",
  ]);
  const count = columns === null ? 0 : packed.count;
  const [begin, end, sender, receiver, bytes, tag] =
    columns ?? Array.from({ length: 6 }, () => new Float64Array(0));
  const reach = new Float64Array(count);
  const sum = [0, 0, 0];
  let latest = -Infinity;
  for (let i = 0; i < count; i += 1) {
    begin![i] = sum[0]! += begin![i]!;
    end![i]! += sum[0]!;
    bytes![i] = sum[1]! += bytes![i]!;
    tag![i] = sum[2]! += tag![i]!;
    latest = Math.max(latest, end![i]!);
    reach[i] = latest;
  }
  return {
    count,
    begin: begin!,
    end: end!,
    sender: sender!,
    receiver: receiver!,
    bytes: bytes!,
    tag: tag!,
    reach,
  };
}

const most_of_an_event = 64;
const most_looked_at = 20000;

/** The messages whose send began, or whose receive ended, with an event of a rank. */
export function messages_of(
  messages: Messages,
  rank: number,
  begin: number,
  end: number,
): { sent: number[]; received: number[] } {
  const sent: number[] = [];
  const received: number[] = [];
  for (let i = first_above(messages.begin, begin - 1); i < messages.count; i += 1) {
    if (messages.begin[i]! > begin || sent.length === most_of_an_event) break;
    if (messages.begin[i] === begin && messages.sender[i] === rank) sent.push(i);
  }
  const first = first_above(messages.reach, end - 1);
  const last = Math.min(first_above(messages.begin, end), first + most_looked_at);
  for (let i = first; i < last && received.length < most_of_an_event; i += 1) {
    if (messages.end[i] === end && messages.receiver[i] === rank) received.push(i);
  }
  return { sent, received };
}
