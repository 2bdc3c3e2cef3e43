/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.JsonEventCodec;
import java.net.URI;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/** Encodes a signal as a CloudEvent: attributes in headers, JSON as the value. */
final class SignalCloudEventProcessor
    extends ContextualProcessor<String, RunnerSignal, String, byte[]> {
  private final URI source;

  SignalCloudEventProcessor(URI source) {
    this.source = source;
  }

  @Override
  public void process(Record<String, RunnerSignal> record) {
    ProducerRecord<String, byte[]> event = JsonEventCodec.encode(source, record.value());
    context()
        .forward(new Record<>(record.key(), event.value(), record.timestamp(), event.headers()));
  }
}
