/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.state.StepState;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.protocol.workflow.DefinitionFormat;
import dev.baton.protocol.workflow.WorkflowParseResult;
import dev.baton.protocol.workflow.WorkflowParser;
import dev.baton.runner.steps.StepContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Interrupts random graphs after every event of their trace: they end as if they had not been
 * interrupted. {@code -Dbaton.graphs=N} for more graphs, {@code -Dbaton.seed=S} to repeat a seed.
 */
class RandomGraphTest {
  private static final int GRAPHS = Integer.getInteger("baton.graphs", 60);

  /**
   * In events of the uninterrupted run. Longer runs are left out: they are interrupted too often.
   */
  private static final int LONGEST = 150;

  private static final int NEVER = Integer.MAX_VALUE;

  /** Each appears in some graph; graphs are drawn until it does. */
  private static final Set<String> EXPECTED =
      Set.of("retry", "foreseen failure", "reroute", "reroute again", "approval", "skip");

  /** In graphs drawn. Some graphs in a hundred reroute a second time. */
  private static final int MOST_DRAWN = 100 * GRAPHS;

  /** Logs every interruption with its stack trace. */
  private static final Logger ENGINE = Logger.getLogger("dev.baton.runner.engine");

  @BeforeAll
  static void silence() {
    ENGINE.setLevel(Level.OFF);
  }

  @AfterAll
  static void tell() {
    ENGINE.setLevel(null);
  }

  /** Result of a run, without what differs between executions. */
  record Result(
      String status,
      @Nullable String error,
      @Nullable Output output,
      Map<String, List<Object>> steps,
      Map<String, Integer> reroutes) {}

  @Test
  void shouldEndAsIfNothingHadHappenedWhereverItIsInterrupted() throws Exception {
    long first = Long.getLong("baton.seed", System.nanoTime());
    System.out.printf("%d random graphs, -Dbaton.seed=%d%n", GRAPHS, first);
    int interruptions = 0;
    int events = 0;
    Map<String, Integer> ends = new TreeMap<>();
    Map<String, Integer> met = new TreeMap<>();
    int checked = 0;
    for (long seed = first; checked < GRAPHS || !met.keySet().containsAll(EXPECTED); seed++) {
      assertThat(seed - first).as("graphs drawn, met: %s", met).isLessThan(MOST_DRAWN);
      RandomGraph graph = new RandomGraph(seed);
      WorkflowParseResult.Valid workflow = parse(graph, seed);
      TracedRun undisturbed = run(workflow, seed);
      undisturbed.carry(NEVER);
      int length = (int) undisturbed.trace().stream().filter(RandomGraphTest::isOfRunner).count();
      Map<String, Integer> shown = new TreeMap<>();
      undisturbed.trace().forEach(record -> count(record.event(), shown));
      boolean isNew = EXPECTED.stream().anyMatch(e -> shown.containsKey(e) && !met.containsKey(e));
      if (length > LONGEST || (checked >= GRAPHS && !isNew)) {
        continue;
      }
      checked++;
      events += length;
      Result expected = result(undisturbed.state(), graph);
      shown.forEach((what, times) -> met.merge(what, times, Integer::sum));
      ends.merge(expected.error() == null ? expected.status() : expected.error(), 1, Integer::sum);
      for (int after = 0; after < length; after++) {
        String what = "seed %d, interrupted after %d events".formatted(seed, after);
        TracedRun interrupted = run(workflow, seed);
        interrupted.carry(after);
        Random again = new Random(seed + after);
        int epochs = 1;
        while (!interrupted.state().head().isEnded()) {
          interrupted.carry(epochs++ < 4 && again.nextInt(3) == 0 ? again.nextInt(length) : NEVER);
          interruptions++;
        }
        assertThat(result(interrupted.state(), graph))
            .as(() -> what + "\n" + workflow.canonical() + "\n" + both(undisturbed, interrupted))
            .isEqualTo(expected);
        assertThat(interrupted.state().head().gap()).as(what).isNull();
        assertThatNothingThatEndedRunsAgain(interrupted, what);
      }
    }
    System.out.printf(
        "%d graphs, %d events, %d interruptions, ended: %s, met: %s%n",
        checked, events, interruptions, ends, met);
    assertThat(ends).containsKey("completed");
  }

  private static void count(TraceEvent event, Map<String, Integer> met) {
    String what =
        switch (event) {
          case TraceEvent.StepRetried again -> "retry";
          case TraceEvent.StepFailed failed when failed.next() != null -> "foreseen failure";
          case TraceEvent.StepRerouted reroute ->
              reroute.count() == 1 ? "reroute" : "reroute again";
          case TraceEvent.ApprovalRequested asked -> "approval";
          case TraceEvent.StepSkipped skip -> "skip";
          case TraceEvent.StepStarted started when started.kind().equals("parallel") ->
              started.visit() == 1 ? "parallel" : "parallel again";
          default -> null;
        };
    if (what != null) {
      met.merge(what, 1, Integer::sum);
    }
  }

  private static String both(TracedRun undisturbed, TracedRun interrupted) {
    return "undisturbed:\n"
        + String.join("\n", undisturbed.lines())
        + "\ninterrupted:\n"
        + String.join("\n", interrupted.lines());
  }

  private static WorkflowParseResult.Valid parse(RandomGraph graph, long seed) {
    WorkflowParseResult parsed =
        WorkflowParser.parse(graph.definition.toString(), DefinitionFormat.JSON);
    if (parsed instanceof WorkflowParseResult.Valid valid) {
      return valid;
    }
    throw new AssertionError("seed " + seed + ": " + parsed + " of " + graph.definition);
  }

  private static boolean isOfRunner(TraceRecord record) {
    return record.event() instanceof TraceEvent.Runner;
  }

  private static TracedRun run(WorkflowParseResult.Valid workflow, long seed) {
    return new TracedRun(workflow, asked -> answer(asked, seed), context -> work(context, seed));
  }

  private static Optional<JsonNode> answer(TraceEvent.ApprovalRequested asked, long seed) {
    return asked.prompt().equals("never")
        ? Optional.empty()
        : Optional.of(
            JsonNodeFactory.instance
                .objectNode()
                .put("approved", asked.prompt().equals("yes") || isLucky(asked.step(), seed)));
  }

  /** The seed, the step, the visit and the attempt decide which attempts fail. */
  private static Function<JsonNode, JsonNode> work(StepContext context, long seed) {
    return arguments -> {
      String what = context.step() + "#" + context.visit() + "#" + context.attempt();
      boolean good =
          switch (arguments.path("how").asText()) {
            case "maybe" -> isLucky(what, seed);
            case "late" -> context.attempt() > arguments.path("retries").asInt();
            default -> false;
          };
      if (!good) {
        throw new IllegalStateException(what + " fails");
      }
      return JsonNodeFactory.instance
          .objectNode()
          .put("visit", arguments.path("tells").asBoolean() ? context.visit() : 0)
          .put("attempt", context.attempt());
    };
  }

  private static boolean isLucky(String what, long seed) {
    return new Random(what.hashCode() * 31L + seed).nextInt(100) < 60;
  }

  private static Result result(RunState state, RandomGraph graph) {
    Map<String, List<Object>> steps = new TreeMap<>();
    state
        .steps()
        .forEach(
            (path, step) -> {
              if (graph.left.stream().noneMatch(left -> isUnder(path, left))) {
                steps.put(path, facts(step));
              }
            });
    Map<String, Integer> reroutes = new TreeMap<>(state.reroutes());
    reroutes.keySet().removeIf(path -> graph.left.stream().anyMatch(l -> isUnder(path, l)));
    Failure error = state.head().error();
    return new Result(
        state.head().status().word(),
        error == null ? null : error.code(),
        state.output(),
        steps,
        reroutes);
  }

  /**
   * @param branch may have a star for the items of a list
   */
  private static boolean isUnder(String path, String branch) {
    String[] parts = path.split("/", -1);
    String[] prefix = branch.split("/", -1);
    if (parts.length <= prefix.length) {
      return false;
    }
    for (int i = 0; i < prefix.length; i++) {
      if (!prefix[i].equals("*") && !prefix[i].equals(parts[i])) {
        return false;
      }
    }
    return true;
  }

  private static List<Object> facts(StepState step) {
    return List.of(
        step.status(),
        step.visit(),
        step.completions(),
        step.failedAttempts(),
        Optional.ofNullable(step.output()),
        Optional.ofNullable(step.last()));
  }

  private static void assertThatNothingThatEndedRunsAgain(TracedRun run, String what) {
    Map<String, Integer> endedAt = new HashMap<>();
    List<TraceRecord> trace = run.trace();
    for (int i = 0; i < trace.size(); i++) {
      if (trace.get(i).event() instanceof TraceEvent.StepCompleted done) {
        String visit = done.step() + "#" + done.visit();
        assertThat(endedAt.put(visit, i)).as("%s: %s ended before", what, visit).isNull();
      } else if (trace.get(i).event() instanceof TraceEvent.StepFailed failed) {
        String visit = failed.step() + "#" + failed.visit();
        assertThat(endedAt.put(visit, i)).as("%s: %s ended before", what, visit).isNull();
      }
    }
    List<TracedRun.Attempt> again = new ArrayList<>();
    for (TracedRun.Attempt attempt : run.attempts()) {
      Integer at = endedAt.get(attempt.step() + "#" + attempt.visit());
      if (at != null && attempt.traceSize() > at) {
        again.add(attempt);
      }
    }
    assertThat(again).as("%s: attempts of what had ended", what).isEmpty();
  }
}
