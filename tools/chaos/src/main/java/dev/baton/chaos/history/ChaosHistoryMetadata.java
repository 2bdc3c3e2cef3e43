/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.history;

/**
 * Metadata of a history. Times are milliseconds since its start.
 *
 * @param format of the files, today 1
 * @param seed of schedule and workload
 * @param faultsStoppedMs when fault injection had ended and all faults were healed
 * @param endedMs when the history was closed
 * @param boundMs time after the faults within which every run must end
 */
public record ChaosHistoryMetadata(
    int format, long seed, long faultsStoppedMs, long endedMs, long boundMs) {
  /** The format that this version writes. */
  public static final int FORMAT = 1;
}
