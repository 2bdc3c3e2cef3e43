/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.Logged;

/**
 * A record of one run and what it counts for.
 *
 * @param index among the run's records, from 0
 */
record Placed(int index, Logged record, Standing standing) {
  boolean counts() {
    return standing == Standing.COUNTS;
  }
}
