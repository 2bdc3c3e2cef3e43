/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import dev.baton.protocol.trace.EventId;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code store.event}.
 *
 * @param record the Kafka record of the event
 * @param known whether this version supports the type
 * @param timeMicros since the epoch; null if the event has no time, or one outside of the years 1
 *     to 9999
 * @param data JSON, the unchanged bytes of the record
 * @param captureFailed whether the event reports a failed capture of the workspace
 */
record EventRow(
    ConsumerRecord<byte[], byte[]> record,
    EventId id,
    String type,
    boolean known,
    String source,
    @Nullable Long timeMicros,
    @Nullable String lease,
    byte[] data,
    boolean captureFailed) {

  int partition() {
    return record.partition();
  }

  /** Returns the log's offset + 1. */
  long position() {
    return record.offset() + 1;
  }
}
