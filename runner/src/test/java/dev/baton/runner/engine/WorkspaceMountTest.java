/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.baton.runner.process.WorkspaceMount;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunner;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;

/** Every run and branch sees its files at one path, and only its own files. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WorkspaceMountTest {
  private static final String SEEN = "/run/baton/workspace";

  private static final String WORK_TREE =
      """
      git init -q repo && cd repo && git config user.email a@b && git config user.name a
      git commit -q --allow-empty -m first && git worktree add -q ../feature
      """
          .indent(8);

  private final RunnerTestEnvironment services;
  private final TestRunner runner;

  WorkspaceMountTest(RunnerTestEnvironment services) {
    this.services = services;
    this.runner = new TestRunner(services, Map.of());
  }

  @BeforeAll
  void attach() throws Exception {
    assumeTrue(
        WorkspaceMount.at(Path.of(SEEN), Path.of("/nonexistent")).shared().isPresent(),
        "requires permission to mount");
    services.gateway.awaitHello(runner.id);
  }

  @AfterAll
  void close() {
    runner.close();
  }

  private TestRun run(String yaml, String input) throws Exception {
    return new TestRun(services, yaml, input).start(runner.id);
  }

  @Test
  void shouldBeTheSameInEveryLine() throws Exception {
    TestRun run =
        run(
            """
            name: lines
            steps:
              - {id: main, shell: 'pwd; echo "$BATON_WORKSPACE"; touch here', output: lines}
              - id: both
                parallel:
                  branches:
                    a: [{id: in-a, shell: 'pwd; ls', output: lines}]
                    b: [{id: in-b, shell: 'touch b; readlink -f b'}]
              - {id: link, shell: 'mkdir out; echo 7 > out/f; ln -s "$PWD/out" abs; ln -s "$PWD/abs/f" far', output: {file: far, as: json}}
              - {id: last, transform: '[.steps.main.output[0], .steps.main.output[1], .steps.both.output, .steps.link.output]'}
            """,
            "{}");

    assertThat(run.awaitOutput().toString())
        .isEqualTo(
            "['%s','%s',{'a':['%s','here'],'b':'%s/b'},7]"
                .formatted(SEEN, SEEN, SEEN, SEEN)
                .replace('\'', '"'));
    assertThat(Path.of(SEEN)).isEmptyDirectory();
  }

  @Test
  void shouldCommitInTheBranchsOwnRepository() throws Exception {
    TestRun run =
        run(
            """
            name: branch
            steps:
              - id: prepare
                shell: |
            %s
              - id: both
                parallel:
                  branches:
                    one: [{id: in-one, shell: 'cd feature && git commit -q --allow-empty -m "made in a branch" && git -C ../repo log --all --format=%%s', output: lines}]
                    two: [{id: in-two, shell: 'git -C feature log --format=%%s; touch two', output: lines}]
              - {id: look, shell: 'cd repo && git fsck 2>&1; git log --all --format=%%s; git worktree list | wc -l; ls ../two', output: lines}
              - {id: last, transform: '[.steps.both.output, .steps.look.output]'}
            """
                .formatted(WORK_TREE),
            "{}");

    assertThat(run.awaitOutput().toString())
        .isEqualTo(
            "[{'one':['made in a branch','first'],'two':['first']},['made in a branch','first','2','../two']]"
                .replace('\'', '"'));
  }

  @Test
  void shouldMakeAMilestoneInARepositoryWithLinkedWorkTrees() throws Exception {
    TestRun run =
        run(
            """
            name: linked
            steps:
              - {id: begin, shell: 'git init -q . && git config user.email a@b && git config user.name a && git commit -q --allow-empty -m 1 && git worktree add -q tree && echo tree > .gitignore'}
              - {id: one, shell: 'echo 1 > one', milestone: {title: One}}
              - {id: look, shell: 'git log -1 --format= --name-status; git -C tree status --porcelain | wc -l', output: lines}
            """,
            "{}");

    assertThat(run.awaitOutput().toString())
        .isEqualTo("['A\\t.gitignore','A\\tone','0']".replace('\'', '"'));
  }

  @Test
  void shouldRunAVirtualEnvironmentInABranch() throws Exception {
    assumeTrue(Files.isExecutable(Path.of("/usr/bin/python3")), "needs python3");
    TestRun run =
        run(
            """
            name: venv
            workspace: {exclude: []}
            steps:
              - {id: make, shell: 'python3 -m venv --without-pip env'}
              - id: both
                parallel:
                  branches:
                    a: [{id: in-a, shell: '. env/bin/activate; echo "$VIRTUAL_ENV"; python -c "import sys; print(sys.prefix)"; touch env/a', output: lines}]
              - {id: look, shell: 'ls env/a'}
              - {id: last, transform: '[.steps.both.output.a, .steps.look.output]'}
            """,
            "{}");

    assertThat(run.awaitOutput().toString())
        .isEqualTo("[['%s/env','%s/env'],'env/a']".formatted(SEEN, SEEN).replace('\'', '"'));
  }

  @Test
  void shouldNotReachAnotherRunsFiles() throws Exception {
    TestRun victim =
        run(
            """
            name: victim
            steps:
              - {id: make, shell: 'echo mine > f; echo "$BATON_WORKSPACE_ON_HOST"'}
              - {id: ask, approval: Really}
              - {id: look, shell: 'cat f; ls', output: lines}
            """,
            "{}");
    services.trace.await(
        victim.id,
        dev.baton.protocol.trace.TraceEvent.ApprovalRequested.class,
        waiting -> waiting.step().equals("ask"));
    Path there = runner.data.resolve("runs").resolve(victim.id).resolve("workspace");
    assertThat(there.resolve("f")).exists();

    TestRun attacker =
        run(
            """
            name: attacker
            steps:
              - id: try
                shell: |
                  for d in "$THERE" "$BATON_WORKSPACE_ON_HOST/../../$VICTIM/workspace" /proc/self/cwd/../../"$VICTIM"/workspace; do
                    echo evil > "$d/f" || true
                    rm -rf "$d" || true
                  done
                  ln -s "$THERE" to && echo evil > to/f || true
                  ls "$(dirname "$THERE")" 2>&1 | wc -l
                env: {THERE: "${{ .input.there }}", VICTIM: "${{ .input.victim }}"}
            """,
            "{\"there\": \"%s\", \"victim\": \"%s\"}".formatted(there, victim.id));
    attacker.awaitEnd();
    victim.answer(runner.id, "ask", 1, "{\"approved\": true}");

    assertThat(victim.awaitOutput().toString()).isEqualTo("[\"mine\",\"f\"]");
  }

  /**
   * A thread inherits the namespace of the thread that creates it: a carrier of virtual threads
   * that is created from the view of a step would hide the files of all runs from the runner.
   */
  @Test
  void shouldKeepEveryThreadOfTheRunnerOutOfTheViews() throws Exception {
    TestRun run =
        run(
            """
            name: threads
            steps:
              - {id: git, shell: 'git init -q . && git config user.email a@b && git config user.name a && echo 1 > one', milestone: {title: One}}
              - {id: both, parallel: {branches: {a: [{id: in-a, shell: 'true'}], b: [{id: in-b, shell: 'true'}]}}}
            """,
            "{}");
    run.awaitOutput();

    Path own = Files.readSymbolicLink(Path.of("/proc/self/ns/mnt"));
    List<String> elsewhere = new ArrayList<>();
    try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
      for (Path thread : threads.toList()) {
        try {
          if (!Files.readSymbolicLink(thread.resolve("ns/mnt")).equals(own)) {
            elsewhere.add(Files.readString(thread.resolve("comm")).strip());
          }
        } catch (NoSuchFileException ended) {
          // The thread has ended.
        }
      }
    }
    assertThat(elsewhere).isEmpty();
  }
}
