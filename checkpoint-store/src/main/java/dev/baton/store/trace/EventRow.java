/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.protocol.trace.EventId;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code store.event}.
 *
 * @param position the log's offset + 1
 * @param timeMicros since the epoch; null where the event has no time
 * @param data JSON, the bytes as they came
 */
record EventRow(
    EventId id,
    int partition,
    long position,
    String type,
    String source,
    @Nullable Long timeMicros,
    @Nullable String lease,
    byte[] data) {

  long offset() {
    return position - 1;
  }
}
