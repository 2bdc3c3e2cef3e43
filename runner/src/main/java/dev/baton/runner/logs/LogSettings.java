/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import java.nio.file.Path;

/**
 * How much of logs a runner keeps.
 *
 * @param folder of the spools
 * @param spoolBytes of one run that may wait on the disk to be uploaded ({@code
 *     baton.logs.spool.max})
 * @param attemptBytes of one attempt that are kept in all ({@code baton.logs.max})
 */
public record LogSettings(Path folder, long spoolBytes, long attemptBytes) {
  public static final long DEFAULT_SPOOL_BYTES = 1L << 30;
  public static final long DEFAULT_ATTEMPT_BYTES = 8L << 30;

  /**
   * @param data the runner's data folder
   */
  public static LogSettings of(Path data, long spoolBytes, long attemptBytes) {
    return new LogSettings(data.resolve("logs"), spoolBytes, attemptBytes);
  }

  /** With the defaults. */
  public static LogSettings of(Path data) {
    return of(data, DEFAULT_SPOOL_BYTES, DEFAULT_ATTEMPT_BYTES);
  }

  Path folder(String run) {
    return folder.resolve(run);
  }
}
