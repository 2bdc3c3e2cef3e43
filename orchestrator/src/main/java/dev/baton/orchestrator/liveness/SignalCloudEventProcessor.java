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
import java.util.List;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.Record;

/**
 * Encodes signals as CloudEvents: attributes in headers, JSON as the value. Those of one record
 * share their signature.
 */
final class SignalCloudEventProcessor
    extends ContextualProcessor<String, List<RunnerSignal>, String, byte[]> {
  private final URI source;
  private final Consumer<List<ProducerRecord<String, byte[]>>> signer;

  /**
   * @param signer adds signatures to records
   */
  SignalCloudEventProcessor(URI source, Consumer<List<ProducerRecord<String, byte[]>>> signer) {
    this.source = source;
    this.signer = signer;
  }

  @Override
  public void process(Record<String, List<RunnerSignal>> record) {
    List<ProducerRecord<String, byte[]>> events =
        record.value().stream().map(signal -> JsonEventCodec.encode(source, signal)).toList();
    signer.accept(events);
    for (ProducerRecord<String, byte[]> event : events) {
      context()
          .forward(new Record<>(event.key(), event.value(), record.timestamp(), event.headers()));
    }
  }
}
