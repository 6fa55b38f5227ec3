// SPDX-License-Identifier: BSD-3-Clause
// A place in a source file as short text.

/** The name of a path without its folders. */
export function file_name(path: string): string {
  return path.replace(/^.*\//, "");
}

/** "mesh.cpp:60", "mesh.cpp", or nothing; without folders. */
export function place_text(file: string, line: number): string {
  return line > 0 && file !== "" ? `${file_name(file)}:${line}` : file_name(file);
}
