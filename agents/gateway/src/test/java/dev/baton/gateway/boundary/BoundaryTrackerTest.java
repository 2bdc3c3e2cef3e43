/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.boundary;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.gateway.key.AgentFamily;
import dev.baton.gateway.wire.ToolCallRef;
import dev.baton.protocol.json.Json;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Sub-agents that work beside the conversation that has started them. */
class BoundaryTrackerTest {
  private static final String MAIN = "main";
  private static final String SUB_AGENT = "main/sub";
  private static final long BOUND = 10_000;

  private final AtomicLong nanos = new AtomicLong();
  private final BlockingQueue<BoundaryPoint> captured = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> unreachable = new LinkedBlockingQueue<>();
  private final BoundaryTracker tracker =
      new BoundaryTracker(
          captured::add,
          new BoundaryPolicy(
              Duration.ofSeconds(10), Duration.ofSeconds(60), Duration.ofSeconds(60)),
          new BoundaryListener() {
            @Override
            public void reached(int number, Duration took) {}

            @Override
            public void failed(int number, String reason) {}

            @Override
            public void unreachable(List<String> openCalls) {
              unreachable.addAll(openCalls);
            }
          },
          AgentFamily.CODEX,
          nanos::get);

  private BoundaryTracker.Arrival arrive(String conversation, String key, String... results) {
    return arrive(conversation, key, false, results);
  }

  private BoundaryTracker.Arrival arrive(
      String conversation, String key, boolean othersReplay, String... results) {
    return tracker.arrive(
        new BoundaryTracker.ArrivingRequest(
            conversation,
            key,
            Set.of(results),
            "openai-responses",
            Json.mapper().createObjectNode()),
        false,
        othersReplay);
  }

  /** Gives an answer with one call. */
  private void answer(String conversation, String key, String tool, String call) {
    BoundaryTracker.Delivery delivery = new BoundaryTracker.Delivery(conversation, key);
    assertThat(tracker.begin(delivery)).isTrue();
    tracker.opened(delivery, List.of(new ToolCallRef(call, tool)));
    tracker.end(delivery);
  }

  private @Nullable BoundaryPoint boundary() throws InterruptedException {
    return captured.poll(BOUND, TimeUnit.MILLISECONDS);
  }

  private void start(String conversation, String key) throws InterruptedException {
    assertThat(arrive(conversation, key).await(BOUND)).isTrue();
    assertThat(boundary()).isNotNull();
  }

  @Test
  void shouldCaptureASubAgentBeforeItsFirstAnswer() throws Exception {
    start(MAIN, "k1");
    answer(MAIN, "k1", "spawn_agent", "c1");

    BoundaryTracker.Arrival sub = arrive(SUB_AGENT, "s1");
    assertThat(sub.isDone()).isFalse();
    assertThat(captured).isEmpty();
    BoundaryTracker.Arrival main = arrive(MAIN, "k2", "c1");

    assertThat(main.await(BOUND)).isTrue();
    assertThat(sub.await(BOUND)).isTrue();
    assertThat(boundary()).isNotNull();
    assertThat(captured).as("one boundary for both").isEmpty();
  }

  @Test
  void shouldLetOtherSubAgentsWaitForTheBoundaryOfANewOne() throws Exception {
    start(MAIN, "k1");
    start(SUB_AGENT, "s1");
    answer(SUB_AGENT, "s1", "exec_command", "c0");
    answer(MAIN, "k1", "spawn_agent", "c1");

    BoundaryTracker.Arrival main = arrive(MAIN, "k2", "c1");
    assertThat(main.isDone()).as("the command is open").isFalse();
    BoundaryTracker.Arrival sub = arrive(SUB_AGENT, "s2", "c0");

    assertThat(main.await(BOUND)).isTrue();
    assertThat(sub.await(BOUND)).isTrue();
    assertThat(boundary()).isNotNull();
  }

  @Test
  void shouldReleaseRequestsWhenItIsClosed() throws Exception {
    start(MAIN, "k1");
    start(SUB_AGENT, "s1");
    answer(SUB_AGENT, "s1", "exec_command", "c0");
    answer(MAIN, "k1", "spawn_agent", "c1");
    BoundaryTracker.Arrival main = arrive(MAIN, "k2", "c1");
    assertThat(main.isDone()).as("the command is open").isFalse();

    tracker.close();

    assertThat(main.isDone()).isTrue();
    assertThat(captured).isEmpty();
    assertThat(unreachable).isEmpty();
  }

  @Test
  void shouldNotLetASubAgentWaitForTheCallThatWaitsForIt() throws Exception {
    start(MAIN, "k1");
    answer(MAIN, "k1", "wait_agent", "c1");
    nanos.addAndGet(Duration.ofSeconds(11).toNanos());

    assertThat(arrive(SUB_AGENT, "s1").isDone()).isTrue();
    assertThat(captured).isEmpty();
    assertThat(unreachable.poll(BOUND, TimeUnit.MILLISECONDS)).isEqualTo("wait_agent (c1)");
  }

  @Test
  void shouldLetJournaledAnswersOfOthersComeBeforeTheFirstBoundary() throws Exception {
    assertThat(arrive(SUB_AGENT, "s2", true).isDone()).isTrue();
    assertThat(captured).isEmpty();

    nanos.addAndGet(Duration.ofSeconds(11).toNanos());
    assertThat(arrive(SUB_AGENT, "s3", true).await(BOUND)).isTrue();

    assertThat(boundary()).as("they are no longer expected").isNotNull();
  }
}
