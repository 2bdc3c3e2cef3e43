/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import java.nio.file.Path;

/**
 * Limits of the logs that a runner stores.
 *
 * @param folder of the spools
 * @param spoolBytes limit of one run's log that waits on the disk for upload ({@code
 *     baton.logs.spool.max})
 * @param attemptBytes limit of one attempt's log in total ({@code baton.logs.max})
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

  /** Uses the default limits. */
  public static LogSettings of(Path data) {
    return of(data, DEFAULT_SPOOL_BYTES, DEFAULT_ATTEMPT_BYTES);
  }

  Path folder(String run) {
    return folder.resolve(run);
  }
}
