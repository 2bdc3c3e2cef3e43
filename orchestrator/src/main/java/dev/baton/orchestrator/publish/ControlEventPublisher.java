/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.publish;

import dev.baton.orchestrator.lease.LeaseSigner;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceRecord;
import jakarta.enterprise.context.ApplicationScoped;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Publishes control events to the trace, signed for runs that need it. Thread-safe. */
@ApplicationScoped
public class ControlEventPublisher {
  /**
   * An event to publish.
   *
   * @param home the run's home partition; null while it is not known: Kafka's client then chooses
   * @param isSigned whether the run's control events are signed
   */
  public record ControlEvent(TraceRecord record, @Nullable Integer home, boolean isSigned) {}

  private final KafkaEventPublisher publisher;
  private final LeaseSigner signer;

  ControlEventPublisher(KafkaEventPublisher publisher, LeaseSigner signer) {
    this.publisher = publisher;
    this.signer = signer;
  }

  public URI source() {
    return publisher.source();
  }

  /**
   * Publishes events, which share signatures. May block for the topic's metadata, so never call it
   * from an event loop.
   *
   * @return for each event, completes as {@link KafkaEventPublisher#trace} does. An event that
   *     cannot be sent does not block the others
   */
  public List<CompletableFuture<Void>> publish(List<ControlEvent> events) {
    List<CompletableFuture<ProducerRecord<String, byte[]>>> records = new ArrayList<>();
    List<ProducerRecord<String, byte[]>> unsigned = new ArrayList<>();
    for (ControlEvent event : events) {
      try {
        ProducerRecord<String, byte[]> record =
            TraceCodec.encode(TopicName.TRACE, event.home(), event.record(), null);
        records.add(CompletableFuture.completedFuture(record));
        if (event.isSigned()) {
          unsigned.add(record);
        }
      } catch (RuntimeException e) {
        records.add(CompletableFuture.failedFuture(e));
      }
    }
    signer.sign(unsigned);
    return records.stream().map(record -> record.thenCompose(publisher::trace)).toList();
  }
}
