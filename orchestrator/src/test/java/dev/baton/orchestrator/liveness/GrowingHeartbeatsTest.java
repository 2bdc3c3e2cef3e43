/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import dev.baton.orchestrator.testing.TraceLog;
import dev.baton.protocol.heartbeat.Heartbeat;
import dev.baton.protocol.topic.HomePartitioner;
import dev.baton.protocol.topic.JsonEventCodec;
import dev.baton.protocol.topic.TopicName;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.junit.jupiter.api.Test;

/** The topic of the heartbeats grows while runs are watched. */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
class GrowingHeartbeatsTest {
  private static final URI SOURCE = URI.create("/test/foreign");
  private static final long TIMEOUT = 2_000;
  private static final int GROWTH = 3;

  /** The age of metadata, a replaced stream thread, and the timeout. */
  private static final Duration BOUND = Duration.ofSeconds(20);

  @Inject OrchestratorTestEnvironment bed;
  @Inject Admin admin;

  /** A run whose heartbeats are in a partition, or move to another one after a growth. */
  private record Beating(String run, int before, int after) {}

  @Test
  void shouldCondemnNoLivingRunAndFindEachSilentOneAfterEveryGrowth() throws Exception {
    try (TraceLog log = bed.log()) {
      for (int growth = 1; growth <= 2; growth++) {
        int size = size();
        List<Beating> living = new ArrayList<>();
        List<Beating> dying = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
          living.add(moving(size));
          living.add(staying(size));
          dying.add(moving(size));
          dying.add(staying(size));
        }
        List<Beating> all = new ArrayList<>(living);
        all.addAll(dying);
        try (Heart heart = new Heart(log, all)) {
          TimeUnit.SECONDS.sleep(2);
          assertNoneIsLost(all);

          admin
              .createPartitions(
                  Map.of(TopicName.HEARTBEATS, NewPartitions.increaseTo(size + GROWTH)))
              .all()
              .get(20, TimeUnit.SECONDS);
          heart.moved = true;
          // Longer than the age of metadata and the timeout.
          TimeUnit.SECONDS.sleep(10);
          assertNoneIsLost(all);

          heart.beating.removeAll(dying);
          long end = System.nanoTime() + BOUND.toNanos();
          while (!dying.stream().allMatch(this::isLost)) {
            assertThat(System.nanoTime()).as("silent runs are found").isLessThan(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
          }
          assertNoneIsLost(living);
        }
        living.forEach(beating -> send(log, beating, beating.after(), Heartbeat.ENDED));
      }
    }
  }

  private void assertNoneIsLost(List<Beating> runs) {
    assertThat(runs).noneMatch(this::isLost);
  }

  /** Sends the heartbeats of all runs while the test waits. */
  private static final class Heart implements AutoCloseable {
    final List<Beating> beating;
    volatile boolean moved;
    private final Thread thread;
    private volatile boolean closed;

    Heart(TraceLog log, List<Beating> runs) {
      beating = new CopyOnWriteArrayList<>(runs);
      thread =
          Thread.ofPlatform()
              .daemon()
              .name("heart")
              .start(
                  () -> {
                    while (!closed) {
                      for (Beating run : beating) {
                        send(log, run, moved ? run.after() : run.before(), "active");
                      }
                      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
                    }
                  });
    }

    @Override
    public void close() throws InterruptedException {
      closed = true;
      thread.join(TimeUnit.SECONDS.toMillis(10));
    }
  }

  private boolean isLost(Beating beating) {
    JsonNode shown = bed.api().get("/runs/" + beating.run()).json();
    return shown.get("status").textValue().equals("lost");
  }

  private Beating moving(int size) {
    while (true) {
      String run = external();
      int before = HomePartitioner.choose(run, size);
      int after = HomePartitioner.choose(run, size + GROWTH);
      if (before != after) {
        return new Beating(run, before, after);
      }
    }
  }

  private Beating staying(int size) {
    String run = external();
    int kept = HomePartitioner.choose(run, size);
    return new Beating(run, kept, kept);
  }

  private static void send(TraceLog log, Beating beating, int partition, String state) {
    log.post(
        JsonEventCodec.encode(
            SOURCE,
            new Heartbeat(beating.run(), 1, "x", state, null, null, 200, TIMEOUT, 0, 0, 0, 0),
            partition,
            null));
  }

  private int size() throws Exception {
    return Objects.requireNonNull(
            admin
                .describeTopics(Set.of(TopicName.HEARTBEATS))
                .allTopicNames()
                .get(60, TimeUnit.SECONDS)
                .get(TopicName.HEARTBEATS))
        .partitions()
        .size();
  }

  private String external() {
    OrchestratorTestClient.Answer created =
        bed.api().json("/runs", "{\"kind\":\"external\",\"workflow\":\"theirs\"}");
    assertThat(created.status()).as("%s", created).isEqualTo(201);
    return created.json().get("id").textValue();
  }
}
