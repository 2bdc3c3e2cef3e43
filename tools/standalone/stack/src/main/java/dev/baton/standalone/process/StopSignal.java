/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import java.io.IOException;

/** The signal that stops a process cleanly. */
public enum StopSignal {
  /** The default: most programs stop cleanly. */
  TERM,
  /**
   * For Postgres: a clean stop at once; at SIGTERM it waits until its clients have disconnected.
   */
  INT;

  /**
   * Sends the signal; ignores a process that has already ended.
   *
   * @throws IOException when the signal could not be sent to a living process
   */
  public void send(long pid) throws IOException, InterruptedException {
    ProcessHandle handle = ProcessHandle.of(pid).orElse(null);
    if (handle == null) {
      return;
    }
    boolean sent =
        switch (this) {
          case TERM -> handle.destroy();
          // The shell's own kill: Java sends only SIGTERM and SIGKILL, and /bin/kill is not always
          // installed.
          case INT ->
              new ProcessBuilder("sh", "-c", "kill -INT " + pid)
                      .redirectErrorStream(true)
                      .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                      .start()
                      .waitFor()
                  == 0;
        };
    if (!sent && handle.isAlive()) {
      throw new IOException("SIG" + this + " could not be sent to process " + pid);
    }
  }
}
