/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.client.ApiRunEvent;
import dev.baton.cli.client.OrchestratorRestClient;
import dev.baton.cli.client.RetryBackoff;
import dev.baton.cli.client.RunEventFollower;
import dev.baton.cli.client.UrlQueryBuilder;
import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import dev.baton.cli.run.EventLineFormatter;
import dev.baton.cli.terminal.TimeFormatter;
import dev.baton.protocol.json.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Follows one run to its end: answers its approval, kills its runner when the plan requires it, and
 * prints progress. Events arrive on one thread; a kill happens on another, a moment later.
 */
final class DemoRun {
  private static final Set<String> STEP_BEGINS =
      Set.of("step_started", "step_completed", "approval_requested");

  private final OrchestratorRestClient client;
  private final DemoPrinter narrator;
  private final String id;
  private final Deque<KillPlan.Moment> moments;
  private final boolean brief;
  private final List<ApiRunEvent> events = new ArrayList<>();
  private final List<RunnerKill> kills = new ArrayList<>();
  private int epoch;
  private long pid;
  private boolean progressed;
  private int completed;
  private final Set<String> running = new LinkedHashSet<>();
  private String step = "";
  private @Nullable RunnerKill pending;
  private boolean scheduled;
  private boolean over;
  private @Nullable RuntimeException broken;

  /**
   * @param brief print only completed steps until the first kill
   */
  DemoRun(
      OrchestratorRestClient client,
      DemoPrinter narrator,
      String id,
      List<KillPlan.Moment> moments,
      boolean brief) {
    this.client = client;
    this.narrator = narrator;
    this.id = id;
    this.moments = new ArrayDeque<>(moments);
    this.brief = brief;
  }

  static String create(OrchestratorRestClient client, String workflow, JsonNode input) {
    ObjectNode body = Json.mapper().createObjectNode();
    body.put("workflow", workflow);
    body.set("input", input);
    return client.post("/runs", body).path("id").asText();
  }

  String id() {
    return id;
  }

  List<ApiRunEvent> events() {
    return events;
  }

  /** Returns the kills whose replacement was seen working. */
  synchronized List<RunnerKill> kills() {
    return kills.stream().filter(kill -> kill.failoverMs() != null).toList();
  }

  /** Follows the run to its end. */
  void follow() {
    new RunEventFollower(client, id, 0)
        .follow(
            event -> {
              see(event);
              return true;
            });
    synchronized (this) {
      over = true;
      if (broken != null) {
        throw broken;
      }
    }
  }

  private void see(ApiRunEvent event) {
    synchronized (this) {
      events.add(event);
      note(event);
      measure(event);
      tell(event);
      over |= event.isLast();
      schedule();
    }
    if (event.type().equals("approval_requested")) {
      answer(event.data().path("approval").asText());
    }
  }

  private void note(ApiRunEvent event) {
    switch (event.type()) {
      case "runner_assigned" -> {
        epoch = event.data().path("epoch").asInt();
        progressed = false;
        running.clear();
        pid = 0;
      }
      case "runner_started" -> {
        if (event.epoch() == epoch) {
          pid = event.data().path("pid").asLong(0);
        }
      }
      case "step_started" -> running.add(event.step());
      case "step_completed" -> {
        running.remove(event.step());
        step = event.step();
        completed++;
      }
      default -> {}
    }
    progressed |= STEP_BEGINS.contains(event.type()) && event.epoch() == epoch;
  }

  private void measure(ApiRunEvent event) {
    RunnerKill kill = pending;
    if (kill == null || event.epoch() <= kill.epoch() || !STEP_BEGINS.contains(event.type())) {
      return;
    }
    double measured = (System.nanoTime() - kill.nanos()) / 1e6;
    Instant time = event.time();
    Double byTime = time == null ? null : Duration.between(kill.at(), time).toNanos() / 1e6;
    kills.add(kill.ended(measured, byTime));
    pending = null;
    scheduled = false;
  }

  private void schedule() {
    KillPlan.Moment next = moments.peek();
    if (next == null || scheduled || over || !progressed || completed < next.completed()) {
      return;
    }
    moments.remove();
    scheduled = true;
    Thread.ofVirtual().name("kill").start(() -> killAfter(next.delayMs()));
  }

  private void killAfter(int delayMs) {
    try {
      TimeUnit.MILLISECONDS.sleep(delayMs);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return;
    }
    try {
      kill();
    } catch (RuntimeException e) {
      synchronized (this) {
        broken = e;
      }
    }
  }

  private void kill() {
    long target = pidOf();
    synchronized (this) {
      if (over || target == 0) {
        scheduled = false;
        return;
      }
      RunnerKill kill =
          new RunnerKill(
              id, current(), target, epoch, System.nanoTime(), Instant.now(), null, null);
      if (!RunnerKiller.kill(target)) {
        scheduled = false;
        return;
      }
      pending = kill;
      narrator.line(
          "  %-9s SIGKILL to the runner (process %d) during %s"
              .formatted("+0.000 s", target, kill.step()));
    }
  }

  /** Returns the running step that started last, else the step that completed last. */
  private String current() {
    return running.stream().reduce((_, last) -> last).orElse(step);
  }

  /**
   * Returns the pid from the trace; if the event is delayed, from the API, which has it earlier.
   */
  private long pidOf() {
    synchronized (this) {
      if (pid != 0) {
        return pid;
      }
    }
    return client.get("/runs/" + id).path("runner").path("pid").asLong(0);
  }

  private void tell(ApiRunEvent event) {
    RunnerKill last = pending != null ? pending : kills.isEmpty() ? null : kills.getLast();
    boolean stepOnly = event.type().equals("step_started") && pending == null;
    if (last == null) {
      if (brief && !event.type().equals("step_completed") && !event.isLast()) {
        return;
      }
      if (!stepOnly) {
        narrator.line("  " + EventLineFormatter.of(event));
      }
      return;
    }
    if (!stepOnly || last.failoverMs() != null && event.epoch() > last.epoch() && !told(last)) {
      narrator.line(
          "  %-9s %s"
              .formatted(
                  TimeFormatter.offset(Duration.ofNanos(System.nanoTime() - last.nanos())),
                  EventLineFormatter.of(event)));
    }
  }

  /** Whether a step of the replacement was seen before this event. */
  private boolean told(RunnerKill kill) {
    return events.subList(0, events.size() - 1).stream()
        .anyMatch(e -> e.epoch() > kill.epoch() && STEP_BEGINS.contains(e.type()));
  }

  private void answer(String approval) {
    ObjectNode body = Json.mapper().createObjectNode();
    body.putObject("answer").put("approved", true);
    body.put("by", "demo");
    RetryBackoff pause = RetryBackoff.of(Duration.ofMillis(20));
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
    while (true) {
      try {
        client.post("/approvals/" + UrlQueryBuilder.encode(approval), body);
        return;
      } catch (CliException e) {
        if (e.code() == CliExitCode.CONFLICT) {
          // Answered before the runner that repeated the request had started.
          return;
        }
        // The event may arrive before the orchestrator's own view has it: the orchestrator reads
        // the same log.
        if (e.code() != CliExitCode.NOT_FOUND || System.nanoTime() > end) {
          throw e;
        }
      }
      pause.next();
    }
  }
}
