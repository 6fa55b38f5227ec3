/* SPDX-License-Identifier: BSD-3-Clause */
/* A program without MPI, linked statically: nothing can be loaded into it. */
int main(void) {
  return 0;
}
