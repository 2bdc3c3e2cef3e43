/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

import java.io.IOException;
import java.nio.file.Path;

/** The ids of this process. Thread-safe. */
public final class ProcessCredentials {
  private static final class Ids {
    // Not supported: a process that changes its user after Java has started.
    private static final int UID = (int) SyscallInvoker.mine().call(Syscall.GETEUID, 0);
    private static final int GID = (int) SyscallInvoker.mine().call(Syscall.GETEGID, 0);
  }

  private ProcessCredentials() {}

  /** Returns the effective user id, unsigned. */
  public static int effectiveUser() {
    return Ids.UID;
  }

  /** Returns the effective group id, unsigned. */
  public static int effectiveGroup() {
    return Ids.GID;
  }

  public static boolean isSuperuser() {
    return Ids.UID == 0;
  }

  /**
   * Does the one-time work of the first use (tens of milliseconds); call it early, on a background
   * thread.
   *
   * @throws UnsupportedOperationException on platforms other than Linux on x86_64 or aarch64
   */
  public static void warmUp() {
    CpuArchitecture.current();
    try (OpenDirectory root = OpenDirectory.open(Path.of("/"))) {
      StatBuffer stat = new StatBuffer();
      root.stat(stat);
      root.statIfPresent("proc", stat);
      root.list();
    } catch (IOException e) {
      // The first real use fails with the same error, where the caller can handle it.
      throw new IllegalStateException("the file system cannot be read: " + e.getMessage(), e);
    }
  }
}
