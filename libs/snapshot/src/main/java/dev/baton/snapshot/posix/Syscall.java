/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

/** The kernel's system call numbers. They never change; aarch64 uses the generic table. */
enum Syscall {
  READ(0, 63),
  WRITE(1, 64),
  CLOSE(3, 57),
  LSEEK(8, 62),
  PREAD(17, 67),
  PWRITE(18, 68),
  KILL(62, 129),
  FTRUNCATE(77, 46),
  FCHMOD(91, 52),
  FCHOWN(93, 55),
  GETEUID(107, 175),
  GETEGID(108, 177),
  LSETXATTR(189, 6),
  FSETXATTR(190, 7),
  LGETXATTR(192, 9),
  FGETXATTR(193, 10),
  LLISTXATTR(195, 12),
  FLISTXATTR(196, 13),
  FREMOVEXATTR(199, 16),
  MOUNT(165, 40),
  GETDENTS(217, 61),
  OPENAT(257, 56),
  UNSHARE(272, 97),
  MKDIRAT(258, 34),
  FCHOWNAT(260, 54),
  UNLINKAT(263, 35),
  LINKAT(265, 37),
  SYMLINKAT(266, 36),
  READLINKAT(267, 78),
  FCHMODAT(268, 53),
  UTIMENSAT(280, 88),
  RENAMEAT2(316, 276),
  STATX(332, 291);

  private final int x86;
  private final int generic;

  Syscall(int x86, int generic) {
    this.x86 = x86;
    this.generic = generic;
  }

  long number(CpuArchitecture arch) {
    return switch (arch) {
      case X86_64 -> x86;
      case AARCH64 -> generic;
    };
  }
}
