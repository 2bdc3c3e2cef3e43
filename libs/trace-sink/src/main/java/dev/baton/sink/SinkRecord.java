/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceRecord;
import java.time.Instant;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A decoded record of the trace.
 *
 * @param record the Kafka record of the event
 * @param time by the writer's clock; null if an event of an unknown type has none
 * @param lease the token that its writer sent; null for none
 * @param data JSON, the unchanged bytes of the record; not copied
 * @param known the event; null for a type that this version does not support
 */
public record SinkRecord(
    ConsumerRecord<byte[], byte[]> record,
    EventId id,
    String type,
    String source,
    @Nullable Instant time,
    @Nullable String lease,
    byte[] data,
    @Nullable TraceRecord known) {

  /** Returns the signature that its writer sent; null for none. */
  public @Nullable String signature() {
    return TraceCodec.signature(record.headers());
  }

  public int partition() {
    return record.partition();
  }

  /** Returns the log's offset + 1. */
  public long position() {
    return record.offset() + 1;
  }
}
