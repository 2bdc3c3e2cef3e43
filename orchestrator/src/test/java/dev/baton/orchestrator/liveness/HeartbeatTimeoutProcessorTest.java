/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.signal.RunnerSignal;
import dev.baton.protocol.trace.RunId;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.processor.api.MockProcessorContext;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests a partition that moves away from this replica and returns: Kafka Streams reuses the
 * processor and the store, which has the other replica's changes, and calls {@code init} again.
 */
class HeartbeatTimeoutProcessorTest {
  private static final long TIMEOUT = 3_000;
  private static final long START = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();

  private static final BrokerConnectivity EMPTY_PARTITION =
      new BrokerConnectivity() {
        @Override
        public OptionalLong end(int partition) {
          return OptionalLong.of(0);
        }

        @Override
        public long asOf() {
          return Long.MAX_VALUE;
        }

        @Override
        public long done(int partition) {
          return 0;
        }

        @Override
        public long over(int partition, long read) {
          return read;
        }

        @Override
        public long unbrokenSince() {
          return 0;
        }
      };

  private final String run = RunId.next();
  private final MockProcessorContext<String, Object> context = new MockProcessorContext<>();
  private final KeyValueStore<String, WatchedRunner> store =
      Stores.keyValueStoreBuilder(
              Stores.inMemoryKeyValueStore(HeartbeatTimeoutProcessor.STORE),
              Serdes.String(),
              WatchedRunner.serde())
          .withLoggingDisabled()
          .build();
  private final HeartbeatTimeoutProcessor watch =
      new HeartbeatTimeoutProcessor(
          EMPTY_PARTITION,
          (query, since) -> MovedRunnerLookup.Result.STAYED,
          TestLeaseIssuer.authenticator(),
          new LivenessMetrics(new SimpleMeterRegistry()));

  @BeforeEach
  void open() {
    store.init(context.getStateStoreContext(), store);
    context.addStateStore(store);
  }

  private void heard(long at) {
    store.put(run, new WatchedRunner(1, "p", TIMEOUT, false, at, 0, at, at, false));
  }

  private void tick(long at) {
    context.setCurrentSystemTimeMs(at);
    context.scheduledPunctuators().getLast().getPunctuator().punctuate(at);
  }

  private List<Object> signals() {
    return context.forwarded().stream()
        .<Object>flatMap(sent -> ((List<?>) sent.record().value()).stream())
        .toList();
  }

  @Test
  void shouldMissARunOfWhichOnlyTheOtherReplicaHasHeard() {
    watch.init(context);
    tick(START);
    watch.close();
    heard(START + 10_000);

    watch.init(context);
    tick(START + 10_000 + TIMEOUT - 100);
    assertThat(signals()).isEmpty();
    tick(START + 10_000 + TIMEOUT + 100);

    assertThat(signals())
        .singleElement()
        .satisfies(
            signal -> assertThat(((RunnerSignal.HeartbeatsMissed) signal).run()).isEqualTo(run));
  }

  @Test
  void shouldNotMissARunOfWhichTheOtherReplicaHasHeardSince() {
    heard(START);
    watch.init(context);
    tick(START);
    watch.close();
    heard(START + TIMEOUT);

    watch.init(context);
    tick(START + TIMEOUT + 100);

    assertThat(signals()).isEmpty();
  }

  @Test
  void shouldNotMissARunWhoseEndTheOtherReplicaHasHeard() {
    heard(START);
    watch.init(context);
    tick(START);
    watch.close();
    store.delete(run);

    watch.init(context);
    tick(START + 2 * TIMEOUT);

    assertThat(signals()).isEmpty();
  }
}
