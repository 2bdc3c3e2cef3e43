/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.process.ProcfsProcessReader;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Executes the shell steps of many runs on one runner. */
@UsesSharedStack
class SharedShellTest {
  private static final Duration END = Duration.ofSeconds(90);

  /** At most as many as a shared runner executes programs at the same time. */
  private static final int RUNS = 4;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  private final StepLedger ledger;

  SharedShellTest() throws IOException {
    ledger = StepLedger.in(on.folder);
  }

  @BeforeAll
  static void push(SharedStackExtension.RunningStack running) throws Exception {
    on = running;
    on.api.push(
        """
        name: shared-shells
        runner: {isolation: shared}
        input: {type: object}
        steps:
          - {id: first, shell: 'echo "first $BATON_RUN_ID" >> "$LEDGER"', workspace: none, env: {LEDGER: "${{ .input.ledger }}"}}
          - id: wait
            shell: 'echo "wait $BATON_RUN_ID $BATON_EPOCH $$" >> "$LEDGER"; until test -e "$GATE"; do sleep 0.05; done; echo "$BATON_EPOCH"'
            output: json
            workspace: none
            env: {LEDGER: "${{ .input.ledger }}", GATE: "${{ .input.gate }}"}
          - {id: last, transform: '.steps.wait.output'}
        """);
  }

  private List<String> lines(String prefix) throws IOException {
    return ledger.lines().stream().filter(line -> line.startsWith(prefix)).toList();
  }

  private boolean waitAgain(List<String> runs) throws IOException {
    return runs.equals(
        lines("wait ").stream()
            .map(line -> line.split(" "))
            .filter(line -> !line[2].equals("1"))
            .map(line -> line[1])
            .distinct()
            .sorted()
            .toList());
  }

  /** Returns the shared runner that has started the process. */
  private static Optional<ProcessHandle> runner(long step) {
    Optional<ProcessHandle> at = ProcessHandle.of(step);
    while (at.isPresent() && !isSharedRunner(at.get().pid())) {
      at = at.get().parent();
    }
    return at;
  }

  private static boolean isSharedRunner(long pid) {
    Map<String, String> environment = RunnerProcessHandle.environment(pid);
    return !environment.containsKey("BATON_STEP_ID")
        && "shared".equals(environment.get("BATON_RUNNER_MODE"));
  }

  @Test
  void shouldContinueEachRunWhenTheirRunnerIsKilled() throws Exception {
    List<String> runs = new ArrayList<>();
    for (int i = 0; i < RUNS; i++) {
      runs.add(on.api.start("shared-shells", ledger.input()));
    }
    Collections.sort(runs);
    Await.until("all steps wait", END, () -> lines("wait ").size() == RUNS);
    List<Long> steps =
        lines("wait ").stream().map(line -> Long.parseLong(line.split(" ")[3])).toList();
    ProcessHandle runner = runner(steps.getFirst()).orElseThrow();
    for (long step : steps) {
      assertThat(runner(step)).as("step %d", step).hasValue(runner);
    }

    runner.destroyForcibly();
    // On a busy machine a run may be moved once more.
    Await.until("all steps wait again", END, () -> waitAgain(runs));

    for (long step : steps) {
      assertThat(ProcfsProcessReader.isAlive(step)).as("step %d", step).isFalse();
    }
    ledger.open();
    for (String run : runs) {
      on.api.awaitStatus(run, "completed", END);
      assertThat(on.api.run(run).path("output").asInt()).isGreaterThan(1);
      assertThat(lines("first " + run)).hasSize(1);
    }
  }
}
