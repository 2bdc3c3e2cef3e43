/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunner;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Files that cuts leave out: which runners have them, and where they are reported as missing. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
class LeftOutTest {
  private final RunnerTestEnvironment services;

  LeftOutTest(RunnerTestEnvironment services) {
    this.services = services;
  }

  private TestRunner attach(TestRun run) throws Exception {
    TestRunner runner = new TestRunner(services, Map.of());
    services.gateway.awaitHello(runner.id);
    run.start(runner.id);
    return runner;
  }

  /** Ends the first runner once a step has completed; the second one has other disks. */
  private JsonNode handedOverAfter(String step, TestRun run) throws Exception {
    try (TestRunner first = attach(run)) {
      services.trace.await(
          run.id, TraceEvent.StepCompleted.class, done -> done.step().equals(step));
      services.trace.await(run.id, TraceEvent.ApprovalRequested.class, asked -> true);
    }
    try (TestRunner second = attach(run)) {
      run.answer(second.id, "nap", 1, "{\"approved\": true}");
      return run.awaitOutput();
    }
  }

  @Test
  void shouldBeThereInARetryAndInABranch() throws Exception {
    TestRun run =
        new TestRun(
            services,
            """
            name: kept
            steps:
              - {id: install, shell: 'mkdir -p a/node_modules/x && echo dep > a/node_modules/x/f; touch -d @77 a'}
              - {id: again, retry: 1, shell: 'test ! -e target; test ! -e half; mkdir half target; cat a/node_modules/x/f; test "$BATON_ATTEMPT" = 2; stat -c %Y a'}
              - id: both
                parallel:
                  branches:
                    one: [{id: in-one, retry: 1, shell: 'cat a/node_modules/x/f; touch a/new; test "$BATON_ATTEMPT" = 2'}]
                    two: [{id: in-two, shell: 'echo "${BATON_LEFT_OUT-nothing}"'}]
              - {id: last, transform: '{again: .steps.again.output, both: .steps.both.output}'}
            """,
            "{}");
    JsonNode output;
    try (TestRunner runner = attach(run)) {
      output = run.awaitOutput();
    }

    assertThat(output.toString())
        .isEqualTo("{\"again\":\"dep\\n77\",\"both\":{\"one\":\"dep\",\"two\":\"nothing\"}}");
    assertThat(Objects.requireNonNull(run.completed("install").cut()).leftOut())
        .containsExactly("a/node_modules");
  }

  @Test
  void shouldBeSaidToBeMissingAfterAFailover() throws Exception {
    TestRun run =
        new TestRun(
            services,
            """
            name: missing
            steps:
              - {id: install, shell: 'mkdir -p node_modules/x a/target && echo 1 | tee node_modules/x/f a/target/f'}
              - {id: nap, approval: Go on}
              - {id: see, shell: 'echo "$BATON_LEFT_OUT"; ls node_modules a/target 2>&1 | wc -l', output: lines}
              - {id: back, shell: 'mkdir node_modules'}
              - {id: then, shell: 'echo "$BATON_LEFT_OUT"'}
              - {id: last, transform: '[.steps.see.output, .steps.then.output]'}
            """,
            "{}");

    JsonNode output = handedOverAfter("install", run);

    assertThat(output.toString()).isEqualTo("[[\"a/target\",\"node_modules\",\"2\"],\"a/target\"]");
    assertThat(run.events(TraceEvent.RunnerStarted.class).getLast().leftOut())
        .isEqualTo(List.of("a/target", "node_modules"));
    assertThat(services.trace.state(run.id, 0).head().leftOut())
        .isEqualTo(List.of("a/target", "node_modules"));
    assertThat(Objects.requireNonNull(run.completed("see").cut()).leftOut())
        .as("lost for the next runner, too")
        .containsExactly("a/target", "node_modules");
  }

  @Test
  void shouldKeepWhatGitTracksAndDeleteNothingInAMilestone() throws Exception {
    TestRun run =
        new TestRun(
            services,
            """
            name: tracked
            steps:
              - id: clone
                shell: |
                  git init -q . && git config user.email a@b && git config user.name a
                  mkdir -p action/node_modules/dep src/target .venv && echo 1 | tee action/node_modules/dep/f src/target/f .venv/f file
                  git add -A -f && git commit -qm first && echo 1 > src/target/untracked
              - {id: nap, approval: Go on}
              - {id: work, shell: 'echo 2 > file; rm .venv/f', milestone: {title: Second}}
              - {id: look, shell: 'git log -1 --format= --name-status; git status --porcelain', output: lines}
            """,
            "{}");

    JsonNode output = handedOverAfter("clone", run);

    assertThat(output.toString()).isEqualTo("[\"D\\t.venv/f\",\"M\\tfile\"]");
  }

  @Test
  void shouldLeaveOutWhatTheWorkflowSays() throws Exception {
    TestRun run =
        new TestRun(
            services,
            """
            name: chosen
            workspace: {exclude: [cache/, '*.tmp']}
            steps:
              - {id: make, shell: 'mkdir -p node_modules a/cache && echo 1 | tee node_modules/f a/cache/f a/x.tmp a/cached'}
              - {id: nap, approval: Go on}
              - {id: see, shell: 'find . -type f | sort; echo "$BATON_LEFT_OUT"', output: lines}
            """,
            "{}");

    assertThat(handedOverAfter("make", run).toString())
        .isEqualTo("[\"./a/cached\",\"./node_modules/f\",\"a/cache\",\"a/x.tmp\"]");
  }
}
