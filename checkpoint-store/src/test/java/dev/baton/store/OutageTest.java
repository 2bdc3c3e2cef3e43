/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.grpc.Event;
import dev.baton.store.testing.StoreServersTestResource;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.StoreTestClient;
import dev.baton.store.testing.TraceBuilder;
import io.quarkus.test.junit.QuarkusTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

@QuarkusTest
class OutageTest extends StoreTest {

  @Test
  void shouldLoseNothingWhenPostgresIsKilled() {
    shouldLoseNothingWhenKilled("postgres");
  }

  @Test
  void shouldLoseNothingWhenKafkaIsKilled() {
    shouldLoseNothingWhenKilled("kafka");
  }

  private void shouldLoseNothingWhenKilled(String server) {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created(), trace.assigned(1), trace.started(1));
    assertThat(client.snapshot(trace.run(), 1).head().epoch()).isEqualTo(1);
    int steps = 5_000;
    List<ProducerRecord<String, byte[]>> events = new ArrayList<>();
    for (int i = 0; i < steps; i++) {
      events.add(trace.completed(1, "step", null));
    }

    var sending =
        StoreTestClient.beside(
            () -> {
              for (int i = 0; i < steps; i += 50) {
                log.send(events.subList(i, i + 50));
              }
              return log.send(trace.ended(1));
            });
    // Half-way: some events are stored, most are not.
    awaitStored(trace.run(), 200);
    StoreServersTestResource.kill(server);
    sending.orTimeout(60, TimeUnit.SECONDS).join();

    List<Event> stored = follow(trace.run());
    assertThat(stored.subList(2, stored.size()))
        .extracting(event -> Long.parseLong(event.getId().substring(trace.run().length() + 3)))
        .containsExactlyElementsOf(LongStream.rangeClosed(1, steps + 2L).boxed().toList());
    assertThat(client.snapshot(trace.run(), 0).head().completed()).isEqualTo(steps);
  }

  private void awaitStored(String run, int many) {
    var stream =
        client
            .snapshots()
            .events(
                dev.baton.protocol.grpc.EventsRequest.newBuilder()
                    .setRun(run)
                    .setFollow(true)
                    .setLimit(many)
                    .build());
    stream.forEachRemaining(event -> {});
  }

  /**
   * Postgres ends the stream when it stops, so the stream is opened again from its last position.
   */
  private List<Event> follow(String run) {
    List<Event> seen = new ArrayList<>();
    for (int attempt = 0; attempt < 200; attempt++) {
      try {
        client
            .snapshots()
            .events(
                dev.baton.protocol.grpc.EventsRequest.newBuilder()
                    .setRun(run)
                    .setFollow(true)
                    .setAfter(seen.isEmpty() ? 0 : seen.getLast().getPosition())
                    .build())
            .forEachRemaining(seen::add);
        return seen;
      } catch (io.grpc.StatusRuntimeException e) {
        assertThat(e.getStatus().getCode()).isEqualTo(io.grpc.Status.Code.UNAVAILABLE);
        java.util.concurrent.locks.LockSupport.parkNanos(100_000_000);
      }
    }
    throw new AssertionError("Postgres did not restart in time");
  }
}
