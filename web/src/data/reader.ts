// SPDX-License-Identifier: BSD-3-Clause
// Reads values of unknown shape: what is absent or of another type becomes a stated default.

/** A message for the reader of the page: what cannot be shown, and what helps. */
export class DataError extends Error {
  constructor(
    readonly what: string,
    readonly remedy: string,
  ) {
    super(`${what}; ${remedy}`);
  }
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function object(value: unknown): JsonObject {
  return is_object(value) ? value : {};
}

export function is_object(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Each object of a list; what is no object is left out. */
export function objects<T>(value: unknown, read: (item: JsonObject) => T): T[] {
  return list(value).filter(is_object).map(read);
}

export function number_or_null(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

export function number(value: unknown, otherwise = 0): number {
  return number_or_null(value) ?? otherwise;
}

export function numbers(value: unknown): number[] {
  return list(value).filter((x): x is number => typeof x === "number" && Number.isFinite(x));
}

export function text_or_null(value: unknown): string | null {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : null;
}

export function text(value: unknown, otherwise = ""): string {
  return text_or_null(value) ?? otherwise;
}

export function texts(value: unknown): string[] {
  return list(value)
    .map((item) => text(item))
    .filter((item) => item !== "");
}

/** Checks the schema's name and version. @throws DataError naming what was found. */
export function check_schema(value: JsonObject, schema: string, version: number): void {
  if (value["schema"] !== schema) {
    throw new DataError(
      `The data in this page are not a ${schema} ` +
        `(schema: ${JSON.stringify(value["schema"] ?? null)})`,
      "write the report anew with plait report DIR",
    );
  }
  if (value["schema_version"] !== version) {
    throw new DataError(
      `This page reads ${schema} version ${version}, the data are of version ` +
        JSON.stringify(value["schema_version"] ?? null),
      "write the report with the plait that made the profile, or profile the program again",
    );
  }
}
