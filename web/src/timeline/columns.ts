// SPDX-License-Identifier: BSD-3-Clause
// Reads columns of variable-length integers (LEB128) in base64, in steps between frames.

/** The most values that one step reads, so that no frame waits for long. */
export const values_per_step = 131072;

/** Decodes base64; null if the text is not base64. */
export function bytes_of(base64: string): Uint8Array | null {
  let binary: string;
  try {
    binary = atob(base64);
  } catch {
    return null;
  }
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i += 1) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

/** A column is unsigned, or has small values of either sign ("zigzag"). */
export type ColumnKind = "unsigned" | "signed";

/**
 * Reads the columns, one after the other, of `count` values each; yields after each step.
 * Returns null if there are too few bytes, as in damaged data.
 */
export function* read_columns(
  base64: string,
  count: number,
  kinds: readonly ColumnKind[],
): Generator<void, Float64Array[] | null> {
  const bytes = bytes_of(base64);
  if (bytes === null || count * kinds.length > bytes.length) return null;
  const columns: Float64Array[] = [];
  let at = 0;
  let steps = 0;
  for (const kind of kinds) {
    const column = new Float64Array(count);
    for (let i = 0; i < count; i += 1) {
      let value = 0;
      let scale = 1;
      for (;;) {
        const byte = bytes[at];
        if (byte === undefined) return null;
        at += 1;
        value += (byte & 0x7f) * scale;
        if (byte < 0x80) break;
        scale *= 128;
      }
      column[i] = kind === "unsigned" ? value : value % 2 === 0 ? value / 2 : -(value + 1) / 2;
      if ((steps += 1) % values_per_step === 0) yield;
    }
    columns.push(column);
  }
  return columns;
}

/** Runs a reader to its end. */
export function finish<T>(reader: Generator<void, T>): T {
  for (;;) {
    const step = reader.next();
    if (step.done === true) return step.value;
  }
}
