/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

import java.io.IOException;
import java.nio.file.Path;

/** This process, as the kernel sees it. Thread-safe. */
public final class ProcessCredentials {
  private static final class Ids {
    // A process that changes its user after it started Java is none of ours.
    private static final int UID = (int) SyscallInvoker.mine().call(Syscall.GETEUID, 0);
    private static final int GID = (int) SyscallInvoker.mine().call(Syscall.GETEGID, 0);
  }

  private ProcessCredentials() {}

  /** Unsigned. */
  public static int effectiveUser() {
    return Ids.UID;
  }

  /** Unsigned. */
  public static int effectiveGroup() {
    return Ids.GID;
  }

  public static boolean isSuperuser() {
    return Ids.UID == 0;
  }

  /**
   * Does once what the first use would have to do (tens of milliseconds): call it early, on a
   * thread that nobody waits for.
   *
   * @throws UnsupportedOperationException on anything but Linux on x86_64 or aarch64
   */
  public static void warmUp() {
    CpuArchitecture.current();
    try (OpenDirectory root = OpenDirectory.open(Path.of("/"))) {
      StatBuffer stat = new StatBuffer();
      root.stat(stat);
      root.statIfPresent("proc", stat);
      root.list();
    } catch (IOException e) {
      // The same will be said, and to somebody, when it is used in earnest.
      throw new IllegalStateException("the file system cannot be read: " + e.getMessage(), e);
    }
  }
}
