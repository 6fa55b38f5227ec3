// SPDX-License-Identifier: BSD-3-Clause
// What the page shows: a profile, and the machine it ran on when that is known.
import { read_machine } from "./machine";
import type { Machine } from "./machine";
import { read_profile } from "./profile";
import type { Profile } from "./profile";
import { DataError, is_object } from "./reader";

export interface Report {
  profile: Profile;
  machine: Machine | null;
  machine_problem: string | null;
}

/** Reads the JSON in the page. @throws DataError with a message for the reader of the page. */
export function read_report(json: string): Report {
  const remedy = "write the report with plait report DIR";
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new DataError("The data in this page are damaged", remedy);
  }
  if (value === null) throw new DataError("This page holds no profile yet", remedy);
  if (!is_object(value) || !is_object(value["profile"])) {
    throw new DataError("The data in this page hold no profile", remedy);
  }
  const profile = read_profile(value["profile"]);
  const machine = value["machine"];
  if (!is_object(machine)) return { profile, machine: null, machine_problem: null };
  try {
    return { profile, machine: read_machine(machine), machine_problem: null };
  } catch (error) {
    // A machine file of another version costs the machine's charts, not the profile's.
    if (!(error instanceof DataError)) throw error;
    return { profile, machine: null, machine_problem: error.what };
  }
}
