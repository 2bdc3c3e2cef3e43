/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

import java.util.Locale;

/** The parts of the kernel's interface that differ between processors. */
enum CpuArchitecture {
  X86_64(0x10000, 0x20000),
  AARCH64(0x4000, 0x8000);

  final int oDirectory;
  final int oNoFollow;

  CpuArchitecture(int oDirectory, int oNoFollow) {
    this.oDirectory = oDirectory;
    this.oNoFollow = oNoFollow;
  }

  static CpuArchitecture current() {
    String os = System.getProperty("os.name", "");
    String arch = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
    if (os.equals("Linux")) {
      switch (arch) {
        case "amd64", "x86_64" -> {
          return X86_64;
        }
        case "aarch64", "arm64" -> {
          return AARCH64;
        }
        default -> {}
      }
    }
    throw new UnsupportedOperationException(
        "snapshots need Linux on x86_64 or aarch64; this is %s on %s".formatted(os, arch));
  }
}
