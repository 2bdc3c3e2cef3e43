/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import java.io.IOException;

/** How a process is asked to end in good order. */
public enum StopSignal {
  /** What most programs take as "end in good order". */
  TERM,
  /**
   * What Postgres takes as "end now, in good order"; at SIGTERM it waits for its clients to leave
   * first.
   */
  INT;

  /**
   * Sends the signal; a process that is gone already is left at that.
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
          // The shell's own kill: Java sends only SIGTERM and SIGKILL, and /bin/kill is not
          // everywhere.
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
