/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.journal;

import java.nio.file.Path;

/**
 * Location and limit of the files that store unacknowledged events while the brokers are
 * unavailable.
 *
 * @param data the runner's data folder
 * @param maxBytes limit for one run in one epoch
 */
public record EventSpoolSettings(Path data, long maxBytes) {
  /**
   * Not in the run's own folder, which is deleted with the run; this file remains for inspection.
   */
  Path file(String run, int epoch) {
    return data.resolve("spool").resolve(run + "-" + epoch + ".jsonl");
  }
}
