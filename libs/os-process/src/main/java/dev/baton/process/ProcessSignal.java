/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.process;

import java.io.IOException;

/** A signal to a process. */
public enum ProcessSignal {
  /** The usual request to stop: most programs stop cleanly. */
  TERM,
  /**
   * For Postgres: a clean stop at once; at SIGTERM it waits until its clients have disconnected.
   */
  INT,
  /** Suspends it until {@link #CONT}. */
  STOP,
  CONT;

  /**
   * Sends the signal; ignores a process that has already ended.
   *
   * @return whether it was sent
   * @throws IOException when the signal could not be sent to a living process
   */
  public boolean send(long pid) throws IOException, InterruptedException {
    ProcessHandle handle = ProcessHandle.of(pid).orElse(null);
    if (handle == null) {
      return false;
    }
    // Java sends only SIGTERM and SIGKILL. The shell's own kill: /bin/kill is not always installed.
    boolean sent =
        this == TERM
            ? handle.destroy()
            : new ProcessBuilder("sh", "-c", "kill -" + this + " " + pid)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor()
                == 0;
    if (!sent && handle.isAlive()) {
      throw new IOException("SIG" + this + " could not be sent to process " + pid);
    }
    return sent;
  }
}
