// SPDX-License-Identifier: BSD-3-Clause
// Reads values of unknown shape: a missing value or one of a wrong type becomes a default.

/** An error to show on the page: what is wrong, and what to do. */
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

/** Reads each object of a list; skips other items. */
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

/** Checks the schema's name and version. @throws DataError if they differ. */
export function check_schema(value: JsonObject, schema: string, version: number): void {
  if (value["schema"] !== schema) {
    throw new DataError(
      `The data in this page are not a ${schema} ` +
        `(schema: ${JSON.stringify(value["schema"] ?? null)})`,
      "write the report again with plait report DIR",
    );
  }
  if (value["schema_version"] !== version) {
    throw new DataError(
      `This page reads ${schema} version ${version}, but the data have version ` +
        JSON.stringify(value["schema_version"] ?? null),
      "write the report with the plait that made the profile, or profile the program again",
    );
  }
}
