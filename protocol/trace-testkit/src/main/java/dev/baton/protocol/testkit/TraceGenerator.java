/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.testkit;

import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.trace.AgentTurn;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.DamagedCheckpoint;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Lane;
import dev.baton.protocol.trace.ModelUsage;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.RepeatedCall;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.StepAttempt;
import dev.baton.protocol.trace.ToolCall;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Generates the trace of a run from a seed: steps, branches, failures, waits and lost runners. Not
 * thread-safe.
 */
public final class TraceGenerator {
  public static final String RUN = "01jd0000000000000000000000";

  /** The clean trace: the events of each epoch's current runner, in order. */
  public final List<TraceRecord> clean = new ArrayList<>();

  /** Events that older epochs wrote after they were fenced. */
  public final List<Late> late = new ArrayList<>();

  /** A record of a fenced epoch, and the earliest index at which it may be inserted. */
  public record Late(int notBefore, TraceRecord record) {}

  private final Random random;
  private final @Nullable Random damage;
  private final Map<String, Integer> visits = new HashMap<>();
  private long controlSeq;
  private long runnerSeq;
  private int milestone;
  private int epoch;

  /** Generates a trace without damaged checkpoints. */
  public TraceGenerator(long seed) {
    this(seed, null);
  }

  /**
   * Generates a trace in which checkpoints are damaged: some replacement runners return to an
   * earlier state ({@code run_degraded}). Its readers must keep the marked states.
   */
  public static TraceGenerator damaged(long seed) {
    return new TraceGenerator(seed, new Random(~seed));
  }

  private TraceGenerator(long seed, @Nullable Random damage) {
    random = new Random(seed);
    this.damage = damage;
    if (!RunId.isValid(RUN)) {
      throw new AssertionError(RUN);
    }
    generate();
  }

  private void generate() {
    control(
        new TraceEvent.RunCreated(
            "managed",
            "default",
            "w",
            Digest.of(new byte[0]),
            new Output.Inline(IntNode.valueOf(1)),
            Map.of(),
            null,
            "always",
            null,
            null,
            Instant.EPOCH,
            null,
            0,
            null));
    assign("start");
    int steps = 3 + random.nextInt(8);
    for (int i = 0; i < steps; i++) {
      List<String> next = i + 1 < steps ? List.of("s" + (i + 1)) : List.of();
      for (int again = random.nextInt(3); again == 0; again = random.nextInt(3)) {
        mainStep("s" + i, List.of("s" + i));
      }
      mainStep("s" + i, next);
    }
    switch (random.nextInt(4)) {
      case 0 -> runner(new TraceEvent.RunFailed("s0", Failure.of("exit_code", "1")));
      case 1 -> control(new TraceEvent.RunCancelled("someone", null));
      default -> runner(new TraceEvent.RunCompleted(new Output.Inline(TextNode.valueOf("done"))));
    }
  }

  private void mainStep(String id, List<String> next) {
    int visit = visits.merge(id, 1, Integer::sum);
    if (random.nextInt(4) == 0) {
      fall();
    }
    if (random.nextInt(5) > 0) { // light steps have none
      String kind = random.nextInt(3) == 0 ? "parallel" : clean.size() % 3 == 0 ? "agent" : "shell";
      runner(new TraceEvent.StepStarted(id, kind, visit, 1));
    }
    if (random.nextInt(5) == 0) {
      runner(
          new TraceEvent.StepRetried(
              id, "shell", visit, 1, Failure.of("exit_code", "3"), 10, null));
    }
    agent(id);
    switch (random.nextInt(5)) {
      case 0 -> approve(id);
      case 1 -> branches(id);
      case 2 -> {
        if (random.nextBoolean()) {
          fall();
          runner(new TraceEvent.StepStarted(id, "shell", visit, 1));
        }
      }
      default -> {}
    }
    switch (random.nextInt(8)) {
      case 0 -> runner(new TraceEvent.StepSkipped(id, visit, "when is false", next));
      case 1 -> runner(failed(id, visit, next));
      default -> runner(done(id, visit, next));
    }
  }

  private void agent(String id) {
    switch (random.nextInt(10)) {
      case 8 -> runner(new TraceEvent.BackgroundResumed(id, List.of()));
      case 7 -> runner(new TraceEvent.AgentCompacted(id, "auto", 100L + clean.size()));
      case 9 -> runner(repeated(id));
      case 0 ->
          runner(
              new TraceEvent.AgentSessionCreated(
                  id, "a", "session" + clean.size(), null, null, null, false, null, null, null));
      case 1 -> runner(new TraceEvent.PlanUpdated(id, IntNode.valueOf(clean.size())));
      case 2 -> runner(new TraceEvent.StepRerouted(id, "s0", clean.size()));
      case 3 -> runner(new TraceEvent.CheckpointSaved("c", id, "periodic", cut(id), null, null));
      case 4 -> {
        runner(answer(id));
        runner(
            new TraceEvent.CheckpointSaved(
                "c" + clean.size(),
                id,
                "turn",
                cut(id),
                null,
                null,
                new StepAttempt(id, visits.getOrDefault(id, 1), 1),
                new AgentTurn("a", "session", clean.size())));
        runner(answer(id));
      }
      case 5 -> call(id);
      default -> {}
    }
  }

  private static TraceEvent.CallsRepeated repeated(String id) {
    return new TraceEvent.CallsRepeated(
        id, List.of(new RepeatedCall("call0", "shell", "make", null)), 0);
  }

  /** One or two tool calls that need an approval. */
  private void call(String id) {
    int n = clean.size();
    for (int call = 0; call < 1 + n % 2; call++) {
      ask(id, n, call);
    }
    if (random.nextBoolean()) {
      fall();
    }
    for (int call = 0; call < 1 + n % 2; call++) {
      if (random.nextBoolean()) {
        runner(new TraceEvent.ToolBegun(id, "shell", "call" + call, null));
      }
      if (random.nextBoolean()) {
        control(
            new TraceEvent.ApprovalAnswered(
                id, RUN + "-" + id + "-t" + n + "-" + call, BooleanNode.TRUE, "x", null, null));
      }
      if (random.nextBoolean()) {
        runner(
            new TraceEvent.ToolInvoked(
                id, "shell", null, "call" + call, null, null, null, "ok", List.of()));
      }
    }
  }

  private void ask(String id, int n, int call) {
    runner(
        new TraceEvent.ApprovalRequested(
            id,
            RUN + "-" + id + "-t" + n + "-" + call,
            "shell: ls",
            null,
            null,
            null,
            null,
            new ToolCall("call" + call, "shell", IntNode.valueOf(n), "sha256:" + n, null)));
  }

  private TraceEvent.ModelAnswered answer(String id) {
    int n = clean.size();
    return new TraceEvent.ModelAnswered(
        id,
        "main" + n % 2,
        "key" + n,
        "affinity",
        "anthropic-messages",
        "model",
        n % 5 == 0 ? null : new Output.Inline(IntNode.valueOf(n)),
        "req_" + n,
        n % 7 == 0 ? null : new ModelUsage(n, 1, 2, 3, 4, 0),
        n % 7 == 0 ? null : BigDecimal.valueOf(2L * n + 1, 2),
        n,
        n % 2 == 0 ? List.of("shell") : List.of(),
        n % 3 == 0);
  }

  private void approve(String id) {
    if (random.nextInt(4) == 0) {
      control(new TraceEvent.LabelsChanged(Map.of("n", "" + clean.size()), null));
    }
    String approval = RUN + "-" + id + "-" + visits.getOrDefault(id, 1) + "-" + epoch;
    runner(new TraceEvent.ApprovalRequested(id, approval, "go?", null, null, null, null, null));
    if (random.nextBoolean()) {
      fall();
    }
    if (random.nextInt(4) > 0) {
      control(
          new TraceEvent.ApprovalAnswered(
              id, approval, TextNode.valueOf("yes"), "someone", null, null));
    }
  }

  private void branches(String id) {
    int width = 1 + random.nextInt(3);
    for (int b = 0; b < width; b++) {
      String path = id + "/" + b + "/inner";
      int visit = visits.merge(path, 1, Integer::sum);
      runner(new TraceEvent.StepStarted(path, "shell", visit, 1));
      agent(path);
      if (random.nextInt(5) == 0) {
        approve(path);
      }
      if (random.nextInt(4) == 0) {
        fall();
      }
      if (random.nextInt(5) == 0) {
        continue; // The parallel step does not wait for it.
      }
      if (random.nextInt(8) == 0) {
        runner(failed(path, visit, null));
        continue;
      }
      runner(done(path, visit, random.nextBoolean() ? List.of() : List.of("more")));
      if (id.indexOf('/') < 0 && random.nextInt(5) == 0) {
        branches(path);
        runner(done(path, visit + 1, List.of()));
      }
    }
  }

  private Cut cut(String path) {
    String digest = Digest.of((path + random.nextInt()).getBytes(StandardCharsets.UTF_8));
    return new Cut(digest, "baton-tree-2", 1, 1, 1, null);
  }

  private TraceEvent.StepCompleted done(String path, int visit, List<String> next) {
    boolean withoutCut = random.nextInt(6) == 0;
    boolean cut = !withoutCut && random.nextBoolean();
    return new TraceEvent.StepCompleted(
        path,
        "shell",
        visit,
        1,
        new Output.Inline(IntNode.valueOf(random.nextInt(100))),
        cut ? cut(path) : null,
        withoutCut,
        next,
        0,
        null,
        Instant.EPOCH,
        5,
        random.nextInt(4) == 0 ? milestone++ : null,
        null);
  }

  /** Pauses the run and resumes it; its runner may be lost in between. */
  private void pause() {
    control(new TraceEvent.PauseRequested("someone", random.nextBoolean(), false, null));
    if (random.nextBoolean()) {
      runner(new TraceEvent.RunPaused("asked for"));
    } else {
      epoch++;
      runnerSeq = 0;
      control(new TraceEvent.RunnerAssigned(epoch, null, "runner_exited"));
      control(new TraceEvent.PauseRequested(null, false, true, null));
    }
    if (random.nextBoolean()) {
      control(
          new TraceEvent.ResumeRequested(
              "someone",
              null,
              null,
              Map.of("s0", new Output.Inline(IntNode.valueOf(clean.size()))),
              List.of(),
              null,
              List.of(),
              null));
    }
    assign(TraceEvent.RunnerAssigned.RESUME);
    for (String path : List.copyOf(visits.keySet())) {
      runner(TraceEvent.StepSkipped.replayed(path, visits.getOrDefault(path, 1)));
    }
  }

  private TraceEvent.StepFailed failed(String path, int visit, @Nullable List<String> next) {
    boolean withoutCut = next != null && random.nextInt(6) == 0;
    boolean cut = next != null && !withoutCut && random.nextBoolean();
    return new TraceEvent.StepFailed(
        path,
        "shell",
        visit,
        1,
        Failure.of("exit_code", "1"),
        null,
        next,
        cut ? cut(path) : null,
        withoutCut);
  }

  /** Loses the runner; its epoch may write a few more events, which are fenced. */
  private void fall() {
    if (random.nextInt(4) == 0) {
      pause();
      return;
    }
    if (random.nextInt(6) == 0) {
      runner(new TraceEvent.RunParked(null, null, List.of("approval"), timers()));
      assign(TraceEvent.RunnerAssigned.UNPARKED, 10L * clean.size());
      return;
    }
    int fencedEpoch = epoch;
    long fencedSeq = runnerSeq;
    assign(random.nextBoolean() ? "runner_exited" : "heartbeats_missed");
    for (int i = random.nextInt(4); i > 0; i--) {
      TraceEvent event =
          random.nextBoolean()
              ? new TraceEvent.RunCompleted(null)
              : new TraceEvent.StepCompleted(
                  "s" + random.nextInt(9),
                  "shell",
                  1,
                  1,
                  null,
                  null,
                  true,
                  List.of("fenced"),
                  0,
                  null,
                  null,
                  1,
                  null,
                  null);
      late.add(
          new Late(clean.size(), record(Lane.runner(fencedEpoch), ++fencedSeq, "fenced", event)));
    }
  }

  /** The remaining times of some steps, of which a few have ended. */
  private Map<String, Long> timers() {
    Map<String, Long> timers = new HashMap<>();
    for (String path : visits.keySet()) {
      if ((path.length() + clean.size()) % 2 == 0) {
        timers.put(path, 15L * clean.size());
      }
    }
    return timers;
  }

  private void assign(String reason) {
    assign(reason, null);
  }

  private void assign(String reason, @Nullable Long waitedMs) {
    epoch++;
    runnerSeq = 0;
    control(new TraceEvent.RunnerAssigned(epoch, "r" + epoch, reason, waitedMs));
    if (damage != null && epoch > 1 && damage.nextInt(3) == 0) {
      degrade(damage);
    }
    runner(new TraceEvent.RunnerStarted("r" + epoch, 1L, "host", null, 0));
  }

  /** Returns to the state after a random event, or to the initial one. */
  private void degrade(Random random) {
    int point = random.nextInt(clean.size());
    List<DamagedCheckpoint> lost = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      String digest = Digest.of(("damaged" + clean.size() + i).getBytes(StandardCharsets.UTF_8));
      lost.add(new DamagedCheckpoint("", "c" + clean.size(), digest, "gone"));
    }
    runner(new TraceEvent.RunDegraded(lost, point == 0 ? null : clean.get(point).id().toString()));
  }

  private void control(TraceEvent.Control event) {
    clean.add(record(Lane.CONTROL, ++controlSeq, "orchestrator", event));
  }

  private void runner(TraceEvent.Runner event) {
    clean.add(record(Lane.runner(epoch), ++runnerSeq, "runner", event));
  }

  private static TraceRecord record(Lane lane, long seq, String source, TraceEvent event) {
    return new TraceRecord(
        new EventId(RUN, lane, seq),
        URI.create("/baton/" + source),
        Instant.ofEpochSecond(seq),
        event);
  }
}
