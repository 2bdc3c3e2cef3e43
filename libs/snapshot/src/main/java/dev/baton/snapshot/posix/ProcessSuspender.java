/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

import java.io.IOException;

/** Stops processes of this host and lets them go on. Thread-safe. */
public final class ProcessSuspender {
  // The same on x86_64 and aarch64.
  private static final int SIGCONT = 18;
  private static final int SIGSTOP = 19;
  private static final int ESRCH = 3;

  private ProcessSuspender() {}

  /**
   * SIGSTOP, which no process can refuse. One that was running in that instant stops a moment after
   * this returns.
   *
   * @return false when there is no such process
   * @throws IOException when it may not be sent, with the error's number
   * @throws UnsupportedOperationException on anything but Linux on x86_64 or aarch64
   */
  public static boolean stop(long pid) throws IOException {
    return send(pid, SIGSTOP);
  }

  /** SIGCONT. As {@link #stop}. */
  public static boolean goOn(long pid) throws IOException {
    return send(pid, SIGCONT);
  }

  private static boolean send(long pid, int signal) throws IOException {
    if (pid < 2) {
      // To the kernel these are groups of processes, this one's among them.
      throw new IllegalArgumentException("pid " + pid);
    }
    long result = SyscallInvoker.mine().call(Syscall.KILL, pid, signal, 0);
    if (result == -ESRCH) {
      return false;
    }
    if (result < 0) {
      throw new IOException("signal %d to process %d: error %d".formatted(signal, pid, -result));
    }
    return true;
  }
}
