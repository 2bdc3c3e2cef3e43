/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.baton.protocol.grpc.ControlLaneGap;
import dev.baton.protocol.grpc.EventProblem;
import dev.baton.protocol.grpc.VerifyEventsRequest;
import dev.baton.protocol.grpc.VerifyEventsResponse;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.TraceCodec;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.store.testing.SignedTraceTestProfile;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TestLeaseSigner;
import dev.baton.store.testing.TraceBuilder;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.inject.Inject;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which events of a run count whose first event an orchestrator has signed. */
@QuarkusTest
@TestProfile(SignedTraceTestProfile.class)
class SignedTraceTest extends StoreTest {
  @Inject Pool pool;

  private final TestLeaseSigner orchestrator = new TestLeaseSigner();
  private final TraceBuilder trace = new TraceBuilder();
  private final String run = trace.run();

  @BeforeEach
  void publish() {
    System.setProperty(SignedTraceTestProfile.PUBLISHED, TestLeaseSigner.published(orchestrator));
  }

  @AfterEach
  void takeAway() {
    System.clearProperty(SignedTraceTestProfile.PUBLISHED);
  }

  @Test
  void shouldStoreOnlySignedControlEventsAndRunnerEventsWithALease() {
    ProducerRecord<String, byte[]> created = orchestrator.signed(trace.created());
    ProducerRecord<String, byte[]> copied = cancelled(2);
    TraceCodec.sign(
        copied.headers(), Objects.requireNonNull(TraceCodec.signature(created.headers())));

    log.send(
        created,
        cancelled(2),
        copied,
        new TestLeaseSigner().signed(cancelled(2)),
        cancelled(1_000_000_000_000L),
        orchestrator.signed(trace.assigned(1)),
        runner(1, new TraceEvent.RunCompleted(null)),
        withLease(trace.started(1)),
        withLease(trace.ended(1)));

    assertThat(client.idsUntilEnd(run))
        .containsExactly(run + "/c/1", run + "/c/2", run + "/1/1", run + "/1/2");
    for (String reason :
        new String[] {
          "signature refused (missing)",
          "signature refused (bad_signature)",
          "signature refused (unknown_key)",
          "lease refused (missing)"
        }) {
      assertThat(
              log.find(
                  TopicName.deadLetters(TopicName.TRACE),
                  letter ->
                      run.equals(new String(letter.key(), UTF_8))
                          && new String(letter.headers().lastHeader("baton_reason").value(), UTF_8)
                              .contains(reason)))
          .as(reason)
          .isNotNull();
    }
  }

  @Test
  void shouldVerifyWhatIsStoredAndFindChangedRows() {
    log.send(
        orchestrator.signed(trace.created()),
        orchestrator.signed(trace.assigned(1)),
        orchestrator.signed(trace.assigned(2)),
        withLease(trace.started(1)));
    ProducerRecord<String, byte[]> ended = trace.ended(2);
    ended.headers().add("ce_batonlease", orchestrator.lease(run, 2).getBytes(UTF_8));
    log.send(ended);
    assertThat(client.idsUntilEnd(run)).hasSize(5);

    VerifyEventsResponse intact = verify();

    assertThat(intact.getSigned()).isTrue();
    assertThat(intact.getNeedsLease()).isTrue();
    assertThat(intact.getControlEvents()).isEqualTo(3);
    assertThat(intact.getSignedEvents()).isEqualTo(3);
    assertThat(intact.getRunnerEvents()).isEqualTo(2);
    assertThat(intact.getLeasedEvents()).isEqualTo(2);
    assertThat(intact.getWrong()).as("%s", intact).isZero();
    assertThat(intact.getGapsList()).isEmpty();
    assertThat(intact.getKeysList())
        .singleElement()
        .satisfies(
            key -> {
              assertThat(key.getPublished()).isTrue();
              assertThat(key.getControlEvents()).isEqualTo(3);
              assertThat(key.getRunnerEvents()).isEqualTo(2);
            });

    change(
        "SET data = convert_to(replace(convert_from(data, 'UTF8'), 'start', 'resume'), 'UTF8')"
            + " WHERE run = $1 AND lane = 0 AND seq = 2");
    change("SET lease = NULL WHERE run = $1 AND lane = 0 AND seq = 1");
    change("SET seq = 5 WHERE run = $1 AND lane = 0 AND seq = 3");
    change("SET lease = '" + orchestrator.lease(run, 7) + "' WHERE run = $1 AND lane = 1");
    change("SET lease = '" + new TestLeaseSigner().lease(run, 2) + "' WHERE run = $1 AND lane = 2");

    VerifyEventsResponse changed = verify();

    assertThat(changed.getProblemsList())
        .extracting(EventProblem::getEvent, EventProblem::getReason)
        .containsExactly(
            tuple(run + "/c/1", "missing"),
            tuple(run + "/c/2", "bad_signature"),
            tuple(run + "/c/5", "bad_signature"),
            tuple(run + "/1", "foreign"),
            tuple(run + "/2", "unknown_key"));
    assertThat(changed.getWrong()).isEqualTo(5);
    assertThat(changed.getSignedEvents()).isZero();
    assertThat(changed.getGapsList())
        .containsExactly(ControlLaneGap.newBuilder().setExpected(3).setFound(5).build());
    assertThat(changed.getKeysList()).filteredOn(key -> !key.getPublished()).hasSize(1);
  }

  private VerifyEventsResponse verify() {
    return client.maintenance().verifyEvents(VerifyEventsRequest.newBuilder().setRun(run).build());
  }

  private void change(String what) {
    pool.preparedQuery("UPDATE store.event " + what)
        .execute(Tuple.of(run))
        .await()
        .atMost(Duration.ofSeconds(10));
  }

  /** A run that an earlier version began, or an external program on the log. */
  @Test
  void shouldStoreUnsignedEventsOfARunThatBeganUnsigned() {
    log.send(
        trace.created(),
        trace.assigned(1),
        trace.started(1),
        orchestrator.signed(trace.assigned(2)),
        trace.assigned(3),
        trace.ended(3));

    assertThat(client.idsUntilEnd(run)).hasSize(6);
  }

  /** Stored, the largest seq would be the last event of the lane in every fold. */
  @Test
  void shouldStoreTrueControlEventsAfterAForgedSeq() {
    log.send(
        trace.created(),
        cancelled(999_999_999_999_999_999L),
        cancelled(3),
        trace.assigned(1),
        orchestrator.signed(trace.assigned(2)),
        trace.ended(2));

    assertThat(client.idsUntilEnd(run))
        .containsExactly(run + "/c/1", run + "/c/2", run + "/c/3", run + "/2/1");
    assertThat(
            log.find(
                TopicName.deadLetters(TopicName.TRACE),
                letter ->
                    run.equals(new String(letter.key(), UTF_8))
                        && new String(letter.headers().lastHeader("baton_reason").value(), UTF_8)
                            .contains("sequence refused: lane c expects seq 2, found 3")))
        .isNotNull();
  }

  private ProducerRecord<String, byte[]> cancelled(long seq) {
    return event(Lane.CONTROL, seq, new TraceEvent.RunCancelled("mallory", "forged"));
  }

  private ProducerRecord<String, byte[]> runner(long seq, TraceEvent event) {
    return event(Lane.runner(1), seq, event);
  }

  private ProducerRecord<String, byte[]> event(Lane lane, long seq, TraceEvent event) {
    return TraceCodec.encode(
        TopicName.TRACE,
        new TraceRecord(new EventId(run, lane, seq), URI.create("/x"), Instant.now(), event),
        null);
  }

  private ProducerRecord<String, byte[]> withLease(ProducerRecord<String, byte[]> record) {
    record.headers().add("ce_batonlease", orchestrator.lease(run, 1).getBytes(UTF_8));
    return record;
  }
}
