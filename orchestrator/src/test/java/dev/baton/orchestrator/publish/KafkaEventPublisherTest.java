/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.publish;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.topic.JsonEventCodec;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.RunId;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.junit.jupiter.api.Test;

/** Runs against a real broker: what the emitters write, and what a failed record leaves behind. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class KafkaEventPublisherTest {
  private static final long PATIENCE_SECONDS = 20;

  /** Fewer than a channel holds without an acknowledgement. */
  private static final int SIGNALS = 2_000;

  @Inject OrchestratorTestEnvironment bed;
  @Inject KafkaEventPublisher publisher;

  @Test
  void shouldPublishSignalsOfARunInTheOrderOfTheCalls() throws Exception {
    String run = RunId.next(); // unknown to the orchestrator, which ignores its signals

    List<CompletableFuture<Void>> sent = new ArrayList<>();
    for (int epoch = 1; epoch <= SIGNALS; epoch++) {
      sent.add(publisher.signal(new RunnerSignal.RunnerExited(run, epoch, "gone", 137)));
    }
    CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new))
        .get(PATIENCE_SECONDS, TimeUnit.SECONDS);

    try (TraceLog log = bed.log()) {
      List<ConsumerRecord<String, byte[]>> read =
          log.await(TopicName.SIGNALS, run, all -> all.size() >= SIGNALS);
      assertThat(read)
          .extracting(
              record ->
                  JsonEventCodec.signal(record.headers(), record.value()).orElseThrow().epoch())
          .containsExactlyElementsOf(IntStream.rangeClosed(1, SIGNALS).boxed().toList());
      assertThat(header(read.getFirst(), "ce_source")).isEqualTo(publisher.source().toString());
    }
  }

  @Test
  void shouldKeepKeyAndHeadersOfADeadLetterWithoutAValue() {
    String run = RunId.next();
    ConsumerRecord<String, byte[]> record =
        new ConsumerRecord<>(TopicName.SIGNALS, 3, 17, run, null);
    record.headers().add("ce_id", "a".getBytes(UTF_8));

    publisher
        .deadLetter(record, "has no data")
        .await()
        .atMost(Duration.ofSeconds(PATIENCE_SECONDS));

    try (TraceLog log = bed.log()) {
      ConsumerRecord<String, byte[]> letter =
          log.await(TopicName.deadLetters(TopicName.SIGNALS), run, all -> !all.isEmpty())
              .getFirst();
      assertThat(letter.value()).isNull();
      assertThat(header(letter, "ce_id")).isEqualTo("a");
      assertThat(header(letter, "baton_reason")).isEqualTo("has no data");
      assertThat(header(letter, "baton_partition")).isEqualTo("3");
      assertThat(header(letter, "baton_offset")).isEqualTo("17");
    }
  }

  @Test
  void shouldFailARecordThatIsTooLargeAndPublishTheNext() throws Exception {
    String run = RunId.next();

    CompletableFuture<Void> large =
        publisher.notification("large", "run_lost", run, "x".repeat(2 << 20));

    assertThatThrownBy(() -> large.get(PATIENCE_SECONDS, TimeUnit.SECONDS))
        .hasCauseInstanceOf(RecordTooLargeException.class);
    publisher.notification("small", "run_lost", run, "{}").get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    try (TraceLog log = bed.log()) {
      assertThat(log.await(TopicName.NOTIFICATIONS, run, all -> !all.isEmpty()))
          .extracting(record -> header(record, "ce_id"))
          .containsExactly("small");
    }
    for (String health : List.of("started", "live", "ready")) {
      assertThat(bed.api().get("/q/health/" + health).status()).as(health).isEqualTo(200);
    }
  }

  private static String header(ConsumerRecord<String, byte[]> record, String name) {
    return new String(record.headers().lastHeader(name).value(), UTF_8);
  }
}
