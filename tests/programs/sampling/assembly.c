// SPDX-License-Identifier: BSD-3-Clause
// A library with a function in assembly, without call frame information and frame pointer, as BLAS
// libraries have them.
void assembly_burn(unsigned long units);

#if defined(__x86_64__)
__asm__(
    ".text\n"
    ".globl assembly_burn\n"
    ".type assembly_burn, @function\n"
    "assembly_burn:\n"
    "  push %rbp\n"
    "  push %rbx\n"
    "  xor %ebp, %ebp\n"
    "  xor %ebx, %ebx\n"
    "1: add $1, %rbx\n"
    "  dec %rdi\n"
    "  jnz 1b\n"
    "  pop %rbx\n"
    "  pop %rbp\n"
    "  ret\n"
    ".size assembly_burn, . - assembly_burn\n"
    ".section .note.GNU-stack, \"\", @progbits\n"
    ".text\n");
#else
void assembly_burn(unsigned long units) {
  for (volatile unsigned long unit = 0; unit < units; ++unit) {
  }
}
#endif
