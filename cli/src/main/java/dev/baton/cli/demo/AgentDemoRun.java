/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import dev.baton.cli.client.ApiRunEvent;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.client.RunEventFollower;
import dev.baton.cli.run.EventLineFormatter;
import dev.baton.cli.terminal.TimeFormatter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Follows a run of an agent to its end, prints its events, and kills its runner after certain
 * answers of the model. Events arrive on one thread; a kill happens on another, a moment later.
 */
final class AgentDemoRun {
  /** After the answer has reached the agent, whose command then runs for two seconds. */
  private static final Duration KILL_AFTER = Duration.ofMillis(300);

  private static final Set<String> HIDDEN =
      Set.of("run_created", "step_started", "checkpoint_saved", "agent_session_created");

  private final OrchestratorRestClient client;
  private final DemoPrinter narrator;
  private final String id;
  private final Deque<Integer> killAt;
  private final IntSupplier requests;
  private final List<ApiRunEvent> events = new ArrayList<>();
  private final List<RunnerKill> kills = new ArrayList<>();
  private int answers;
  private int underWay;
  private int epoch;
  private @Nullable RunnerKill pending;
  private @Nullable RuntimeException broken;

  /**
   * @param killAt numbers of answers after which the runner is killed, rising
   * @param requests that the model has received for this run
   */
  AgentDemoRun(
      OrchestratorRestClient client,
      DemoPrinter narrator,
      String id,
      List<Integer> killAt,
      IntSupplier requests) {
    this.client = client;
    this.narrator = narrator;
    this.id = id;
    this.killAt = new ArrayDeque<>(killAt);
    this.requests = requests;
  }

  String id() {
    return id;
  }

  List<ApiRunEvent> events() {
    return events;
  }

  /** Returns the kills after which the agent was seen to continue. */
  synchronized List<RunnerKill> kills() {
    return List.copyOf(kills);
  }

  /** Kills at which the model had received a request whose answer was not on the log yet. */
  synchronized int underWay() {
    return underWay;
  }

  /** The ids of the agent's sessions, each once. */
  List<String> sessions() {
    return events.stream()
        .filter(event -> event.type().equals("agent_session_created"))
        .map(event -> event.data().path("session").asText())
        .distinct()
        .toList();
  }

  void follow() {
    new RunEventFollower(client, id, 0)
        .follow(
            event -> {
              see(event);
              return true;
            });
    synchronized (this) {
      if (broken != null) {
        throw broken;
      }
    }
  }

  private synchronized void see(ApiRunEvent event) {
    events.add(event);
    switch (event.type()) {
      case "runner_assigned" -> epoch = event.data().path("epoch").asInt();
      case "agent_session_created" -> measure(event);
      case "model_answered" -> answers += event.data().has("answer") ? 1 : 0;
      default -> {}
    }
    if (!HIDDEN.contains(event.type())) {
      narrator.line("  %-9s %s".formatted(offset(), EventLineFormatter.of(event)));
    }
    Integer next = killAt.peek();
    if (next != null && event.type().equals("model_answered") && answers >= next) {
      killAt.remove();
      Thread.ofVirtual().name("kill").start(this::killSoon);
    }
  }

  private void measure(ApiRunEvent event) {
    RunnerKill kill = pending;
    if (kill == null || event.epoch() <= kill.epoch()) {
      return;
    }
    Instant time = event.time();
    kills.add(
        kill.ended(
            (System.nanoTime() - kill.nanos()) / 1e6,
            time == null ? null : Duration.between(kill.at(), time).toNanos() / 1e6));
    pending = null;
    narrator.line(
        "  %-9s the agent continues session %s"
            .formatted(offset(), event.data().path("session").asText()));
  }

  /** Time since the newest kill; empty before the first one. */
  private String offset() {
    RunnerKill last = pending != null ? pending : kills.isEmpty() ? null : kills.getLast();
    return last == null
        ? ""
        : TimeFormatter.offset(Duration.ofNanos(System.nanoTime() - last.nanos()));
  }

  private void killSoon() {
    try {
      TimeUnit.MILLISECONDS.sleep(KILL_AFTER.toMillis());
      long pid = client.get("/runs/" + id).path("runner").path("pid").asLong(0);
      synchronized (this) {
        RunnerKill kill =
            new RunnerKill(id, "fix", pid, epoch, System.nanoTime(), Instant.now(), null, null);
        if (pid != 0 && RunnerKiller.kill(pid)) {
          pending = kill;
          underWay += requests.getAsInt() > answers ? 1 : 0;
          narrator.line(
              "  +0.000 s  SIGKILL to the runner (process %d) while the agent's command runs"
                  .formatted(pid));
        }
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      synchronized (this) {
        broken = e;
      }
    }
  }
}
