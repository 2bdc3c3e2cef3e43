/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.LoggedRecord;

/**
 * A record of one run with its verdict.
 *
 * @param index among the run's records, from 0
 */
record JudgedRecord(int index, LoggedRecord record, RecordVerdict standing) {
  boolean counts() {
    return standing == RecordVerdict.COUNTS;
  }
}
