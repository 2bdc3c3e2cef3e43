/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Branches of the flow, gates, loops, and parallel steps with their files. */
class GraphTest extends SharedRunnerTestBase {
  GraphTest(RunnerTestEnvironment services) {
    super(services);
  }

  @Test
  void shouldLoopSkipAndJump() throws Exception {
    TestRun run =
        run(
            """
            name: loops
            steps:
              - id: lap
                transform: (.steps.lap.output // 0) + 1
                next: [{when: .steps.lap.output < 3, to: lap}]
                max_visits: 5
              - {id: no, when: .input.never, transform: '"not run"'}
              - {id: jump, transform: '1', next: last}
              - {id: between, transform: '"jumped over"'}
              - {id: last, transform: '[.steps.lap.output, .steps.no.output, .steps.between.output]'}
            """);

    assertThat(run.awaitOutput().toString()).isEqualTo("[3,null,null]");

    assertThat(run.events(TraceEvent.StepCompleted.class))
        .extracting(e -> e.step() + "#" + e.visit())
        .containsExactly("lap#1", "lap#2", "lap#3", "jump#1", "last#1");
    assertThat(run.events(TraceEvent.StepSkipped.class))
        .singleElement()
        .satisfies(skip -> assertThat(skip.reason()).isEqualTo("when is false"));
  }

  @Test
  void shouldFailARunWhoseStepIsVisitedTooOften() throws Exception {
    TestRun run =
        run(
            """
            name: endless
            steps:
              - {id: again, transform: '1', next: again, max_visits: 3}
            """);

    assertThat(run.awaitFailure().error().code()).isEqualTo("max_visits");
    assertThat(run.events(TraceEvent.StepCompleted.class)).hasSize(3);
  }

  @Test
  void shouldGoOnWithTheFilesOfAFailedStepWhereTheWorkflowSaysSo() throws Exception {
    TestRun run =
        run(
            """
            name: foreseen
            steps:
              - id: build
                shell: 'echo broken > report; exit 3'
                retry: {max: 1, backoff: 1ms}
                next: [{on: failure, when: .steps.build.error.exit_code == 3, to: read}]
              - {id: never, shell: exit 9}
              - {id: read, shell: cat report}
              - {id: tell, transform: '[.steps.read.output, .steps.build.outcome, .steps.build.error.code, .steps.build.output]'}
            """);

    assertThat(run.awaitOutput().toString())
        .isEqualTo("[\"broken\",\"failure\",\"exit_code\",null]");

    TraceEvent.StepFailed failed = run.events(TraceEvent.StepFailed.class).getFirst();
    assertThat(failed.next()).containsExactly("read");
    assertThat(failed.attempt()).isEqualTo(2);
    assertThat(failed.cut()).isNotNull();
    assertThat(services.trace.state(run.id, 0).branch("").cut()).isNotNull();
  }

  @Test
  void shouldGoBackUntilAGateIsSatisfied() throws Exception {
    TestRun run =
        run(
            """
            name: gate
            steps:
              - {id: fix, shell: 'echo x >> tries'}
              - {id: check, shell: 'test "$(wc -l < tries)" -ge 3', gate: fix}
              - {id: count, shell: 'wc -l < tries', output: json, gate: {when: .steps.count.output >= 4, to: fix}}
            """);

    assertThat(run.awaitOutput().asInt()).isEqualTo(4);

    assertThat(run.events(TraceEvent.StepRerouted.class))
        .extracting(e -> e.step() + " " + e.to() + " " + e.count())
        .containsExactly("check fix 1", "check fix 2", "count fix 3");
  }

  @Test
  void shouldFailWhereAGateHasSentItBackTooOften() throws Exception {
    TestRun run =
        run(
            """
            name: hopeless
            max_reroutes: 2
            steps:
              - {id: try, transform: '1', gate: {when: 'false', to: try}}
            """);

    TraceEvent.RunFailed failed = run.awaitFailure();

    assertThat(failed.error().code()).isEqualTo("gate_unsatisfied");
    assertThat(failed.error().message()).contains("'try'").contains("2 reroutes");
    assertThat(run.events(TraceEvent.StepCompleted.class)).hasSize(3);
  }

  @Test
  void shouldGoOnWithTheFirstBranchesThatEndWellAndStopTheOthers() throws Exception {
    TestRun run =
        run(
            """
            name: race
            steps:
              - id: race
                parallel:
                  join: 2
                  branches:
                    bad: [{id: b, shell: 'echo b > bad; exit 1'}]
                    one: [{id: o, shell: 'echo 1 > one', output: none}, {id: p, transform: '"one"'}]
                    slow: [{id: s, shell: 'echo s > slow; sleep 600'}]
                    two: [{id: t, shell: 'sleep 0.1; echo 2 > two; echo two'}]
              - {id: files, shell: ls, output: lines}
              - {id: all, transform: '[.steps.race.output, .steps.files.output]'}
            """);

    assertThat(run.awaitOutput().toString())
        .isEqualTo(
            "[{\"bad\":null,\"one\":\"one\",\"slow\":null,\"two\":\"two\"},[\"one\",\"two\"]]");

    assertThat(services.trace.state(run.id, 0).head().active()).isEmpty();
  }

  @Test
  void shouldFailAParallelInWhichTooFewBranchesCanEndWell() throws Exception {
    TestRun run =
        run(
            """
            name: few
            steps:
              - id: race
                parallel:
                  join: any
                  over: '[1, 2]'
                  steps: [{id: b, shell: 'exit 4'}]
            """);

    assertThat(run.awaitFailure().error().exitCode()).isEqualTo(4);
    assertThat(run.events(TraceEvent.StepFailed.class)).hasSize(3);
  }

  @Test
  void shouldMergeWhatBranchesDidToTheFiles() throws Exception {
    TestRun run =
        run(
            """
            name: merge
            steps:
              - {id: base, shell: 'mkdir d; echo base > d/base; echo gone > d/gone'}
              - id: each
                parallel:
                  over: '["x", "y", "z"]'
                  max: 2
                  steps:
                    - {id: write, shell: 'echo "$ITEM" > "d/$ITEM"', env: {ITEM: "${{ .run.branch.item }}"}}
                    - {id: read, shell: 'ls d | wc -l', workspace: none, output: json}
              - id: both
                parallel:
                  branches:
                    left: [{id: l1, shell: 'rm d/gone'}]
                    right: [{id: r1, transform: '.steps.each.output'}]
              - {id: list, shell: 'ls d', output: lines}
            """);

    assertThat(run.awaitOutput().toString()).isEqualTo("[\"base\",\"x\",\"y\",\"z\"]");
    assertThat(run.completed("both").output())
        .isEqualTo(new Output.Inline(Json.mapper().readTree("{\"left\":\"\",\"right\":[3,3,3]}")));
    assertThat(run.events(TraceEvent.StepCompleted.class))
        .filteredOn(e -> e.step().equals("each") || e.step().equals("both"))
        .as("merged files are cut before the next step begins")
        .hasSize(2)
        .allSatisfy(e -> assertThat(e.cut()).isNotNull());
  }

  @Test
  void shouldFailWhenBranchesChangeTheSameFileDifferently() throws Exception {
    TestRun run =
        run(
            """
            name: conflict
            steps:
              - id: each
                parallel:
                  over: '[1, 2]'
                  steps:
                    - {id: write, shell: 'echo "$ITEM" > same', env: {ITEM: "${{ .run.branch.item }}"}}
            """);

    TraceEvent.RunFailed failed = run.awaitFailure();
    assertThat(failed.error().code()).isEqualTo("merge_conflict");
    assertThat(failed.error().message()).contains("same");
  }

  @Test
  void shouldStopTheOtherBranchesWhenOneFails() throws Exception {
    TestRun run =
        run(
            """
            name: failfast
            steps:
              - id: both
                parallel:
                  branches:
                    slow: [{id: sleeps, shell: 'sleep 60'}]
                    bad: [{id: breaks, shell: 'exit 3'}]
            """);

    TraceEvent.RunFailed failed = run.awaitFailure();
    assertThat(failed.step()).isEqualTo("both");
    assertThat(failed.error().message()).contains("bad");
  }

  @Test
  void shouldRetryABranchWithTheFilesOfAParentThatHasNoCutOfThem() throws Exception {
    Path folder = Files.createTempDirectory(services.data(), "ahead");
    TestRun run =
        run(
            """
            name: ahead
            steps:
              - {id: base, shell: 'echo base > base'}
              - id: uncut
                shell: 'until [ -e "$FOLDER/go" ]; do sleep 0.02; done; echo uncut > uncut'
                env: {FOLDER: "${{ .input.folder }}"}
              - id: fan
                parallel:
                  branches:
                    left:
                      - id: retried
                        shell: '[ -e "$FOLDER/tried" ] || { touch "$FOLDER/tried"; exit 1; }; cat base uncut > both'
                        env: {FOLDER: "${{ .input.folder }}"}
                        retry: {max: 1, backoff: 10ms}
              - {id: last, shell: 'cat base uncut both', output: lines}
            """,
            "{\"folder\": \"" + folder + "\"}");
    services.trace.await(run.id, TraceEvent.StepCompleted.class, e -> e.step().equals("base"));
    services.store.away = true;
    try {
      Files.createFile(folder.resolve("go"));
      assertThat(run.awaitOutput().toString()).isEqualTo("[\"base\",\"uncut\",\"base\",\"uncut\"]");
      assertThat(run.events(TraceEvent.StepCompleted.class).get(1).withoutCut()).isTrue();
    } finally {
      services.store.away = false;
    }
  }
}
