/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

import java.io.IOException;

/** Suspends and resumes processes of this host. Thread-safe. */
public final class ProcessSuspender {
  // The same on x86_64 and aarch64.
  private static final int SIGCONT = 18;
  private static final int SIGSTOP = 19;
  private static final int ESRCH = 3;

  private ProcessSuspender() {}

  /**
   * Sends SIGSTOP, which no process can ignore. A thread that is running stops shortly after this
   * returns.
   *
   * @return false if the process does not exist
   * @throws IOException if the signal may not be sent, with the error number
   * @throws UnsupportedOperationException on platforms other than Linux on x86_64 or aarch64
   */
  public static boolean stop(long pid) throws IOException {
    return send(pid, SIGSTOP);
  }

  /** Sends SIGCONT; like {@link #stop}. */
  public static boolean goOn(long pid) throws IOException {
    return send(pid, SIGCONT);
  }

  private static boolean send(long pid, int signal) throws IOException {
    if (pid < 2) {
      // The kernel would signal a process group, possibly the one of this process.
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
