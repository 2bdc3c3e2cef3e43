/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.baton.milestone.git.GitClient;
import dev.baton.milestone.sidecar.MilestoneSidecar;
import dev.baton.milestone.sidecar.SidecarStore;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Milestone;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Steps that end with a commit. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MilestoneTest {
  private final RunnerTestEnvironment services;
  private final TestRunner runner;
  @TempDir Path work;

  MilestoneTest(RunnerTestEnvironment services) {
    this.services = services;
    this.runner = new TestRunner(services, Map.of());
  }

  @BeforeAll
  void attach() throws Exception {
    services.gateway.awaitHello(runner.id);
  }

  @AfterEach
  void comeBack() {
    services.store.away = false;
  }

  @AfterAll
  void close() {
    runner.close();
  }

  private TestRun run(String yaml) throws Exception {
    return new TestRun(services, yaml, "{\"work\": \"" + work + "\"}").start(runner.id);
  }

  private static List<TraceEvent.CheckpointSaved> milestones(TestRun run) {
    return run.events(TraceEvent.CheckpointSaved.class).stream()
        .filter(saved -> saved.milestone() != null)
        .toList();
  }

  private static String git(Path repository, String... arguments) throws Exception {
    return new GitClient(repository, Map.of("PATH", System.getenv("PATH")), Duration.ofSeconds(30))
        .here()
        .ask(arguments);
  }

  @Test
  void shouldCountOnFromTheRepositoryWhereTheStateIsAhead() throws Exception {
    TestRun run =
        run(
            """
            name: behind
            steps:
              - {id: begin, shell: 'git init --quiet --initial-branch=main'}
              - {id: one, shell: 'echo 1 > one', milestone: {title: One}}
              - {id: two, shell: 'echo 2 > two', milestone: {title: Two}}
              - {id: back, shell: 'rm .baton/checkpoints/$(git rev-parse HEAD).json; git reset --quiet --hard HEAD~1'}
              - {id: three, shell: 'echo 3 > three', milestone: {title: Three}}
              - {id: four, shell: 'echo 4 > four', milestone: {title: Four}}
            """);

    run.awaitEnd();

    List<Milestone> made =
        milestones(run).stream().map(saved -> Objects.requireNonNull(saved.milestone())).toList();
    assertThat(made).extracting(Milestone::index).containsExactly(0, 1, 1, 2);
    assertThat(made.get(2).drift()).contains("expects milestone 2", "newest is 0");
    assertThat(made.get(3).drift()).isNull();
    assertThat(run.completed("three").milestone()).isEqualTo(1);
    assertThat(services.trace.state(run.id, 0).nextMilestone()).isEqualTo(3);
  }

  @Test
  void shouldCommitWriteTheSidecarCutAndTellInThisOrder() throws Exception {
    TestRun run =
        run(
            """
            name: milestones
            steps:
              - {id: begin, shell: 'git init --quiet --initial-branch=main; echo a > a'}
              - id: one
                shell: 'echo "${N:-1}" > one; echo out'
                milestone: {title: One is there, tier: tier1, verify: [test -f one, 'test "$WHO" = ann && touch seen']}
                env: {WHO: ann, GIT_AUTHOR_NAME: Ann}
                next: again
              - {id: again, transform: '1'}
              - {id: two, shell: 'cat one', max_visits: 2, milestone: {title: Two}, next: [{when: (.run.id | length) > 26, to: end}]}
              - {id: more, shell: 'test -f more || { touch more; exit 7; }', ok_exit_codes: [0, 7], max_visits: 2, milestone: {title: More},
                 next: [{when: '.steps.more.output == null', to: end}]}
            """);

    run.awaitEnd();

    List<TraceEvent.CheckpointSaved> told = milestones(run);
    assertThat(told)
        .extracting(saved -> Objects.requireNonNull(saved.milestone()).index())
        .containsExactly(0, 1, 2);
    TraceEvent.CheckpointSaved first = told.getFirst();
    Milestone milestone = Objects.requireNonNull(first.milestone());
    assertThat(first.trigger()).isEqualTo("milestone");
    assertThat(first.step()).isEqualTo("one");
    assertThat(milestone.title()).isEqualTo("One is there");
    assertThat(milestone.tier()).isEqualTo("tier1");
    assertThat(milestone.sidecarWritten()).isTrue();
    List<TraceEvent> events = run.events();
    TraceEvent.StepCompleted completed = run.completed("one");
    assertThat(events.indexOf(completed)).isEqualTo(events.indexOf(first) + 1);
    assertThat(completed.cut()).isEqualTo(first.cut());
    assertThat(completed.milestone()).isZero();
    assertThat(run.completed("begin").milestone()).isNull();
    assertThat(services.store.manifest(first.checkpoint()).trigger())
        .isEqualTo(CheckpointTrigger.MILESTONE);

    Path files = services.store.restore(first.checkpoint(), work.resolve("first"));
    assertThat(git(files, "log", "--format=%H %an %s"))
        .isEqualTo(milestone.commit() + " Ann chore(baton): checkpoint " + run.id + " milestone 0");
    assertThat(git(files, "ls-tree", "--name-only", "HEAD").lines())
        .containsExactly("a", "one", "seen");
    Path last =
        services.store.restore(
            Objects.requireNonNull(
                Objects.requireNonNull(run.completed("more").cut()).checkpoint()),
            work.resolve("last"));
    assertThat(new SidecarStore(last, SidecarStore.Format.BATON).list().of(run.id))
        .extracting(MilestoneSidecar::milestoneIndex, MilestoneSidecar::sha)
        .containsExactlyElementsOf(
            told.stream()
                .map(saved -> Objects.requireNonNull(saved.milestone()))
                .map(made -> tuple(made.index(), made.commit()))
                .toList());
    git(last, "fsck", "--strict");
    assertThat(git(last, "status", "--porcelain")).isEmpty();
    assertThat(services.trace.state(run.id, 0).nextMilestone()).isEqualTo(3);
  }

  @Test
  void shouldFailTheAttemptWhoseVerificationFailsAndCommitTheOneThatPasses() throws Exception {
    TestRun run =
        run(
            """
            name: verified
            steps:
              - {id: begin, shell: git init --quiet}
              - id: build
                shell: 'echo "$BATON_ATTEMPT" > built'
                env: {WORK: "${{ .input.work }}"}
                retry: {max: 2, backoff: 10ms}
                milestone: {title: Built, verify: ['echo looking >&2; test -f built', 'test "$(cat built)" = 3 || exit 4']}
            """);

    run.awaitEnd();

    assertThat(run.events(TraceEvent.StepRetried.class))
        .hasSize(2)
        .allSatisfy(
            failed -> {
              assertThat(failed.error().code()).isEqualTo("verification_failed");
              assertThat(failed.error().exitCode()).isEqualTo(4);
              assertThat(failed.error().message())
                  .isEqualTo("test \"$(cat built)\" = 3 || exit 4: exit code 4");
              assertThat(Objects.requireNonNull(failed.log()).tail()).startsWith("$ test \"$(cat");
            });
    Cut cut = Objects.requireNonNull(run.completed("build").cut());
    Path files =
        services.store.restore(Objects.requireNonNull(cut.checkpoint()), work.resolve("verified"));
    assertThat(git(files, "rev-list", "--count", "HEAD")).isEqualTo("1");
    assertThat(git(files, "show", "HEAD:built")).isEqualTo("3");
  }

  @Test
  void shouldStopAVerificationThatTakesLongerThanItsStepMay() throws Exception {
    TestRun run =
        run(
            """
            name: slow
            steps:
              - {id: s, shell: git init --quiet, timeout: 2s, milestone: {title: t, verify: [sleep 60]}}
            """);

    TraceEvent.RunFailed failed = run.awaitFailure();

    assertThat(failed.error().code()).isEqualTo("verification_failed");
    assertThat(failed.error().message()).startsWith("sleep 60: stopped after");
    assertThat(milestones(run)).isEmpty();
  }

  @Test
  void shouldSayWhatToDoWhereThereIsNothingToCommitTo() throws Exception {
    TestRun none =
        run("{name: none, steps: [{id: s, shell: 'echo x > f', retry: 5, milestone: {title: t}}]}");
    TestRun merging =
        run(
            """
            name: merging
            steps:
              - {id: s, shell: 'git init --quiet; git rev-parse --git-dir > .git/MERGE_HEAD', milestone: {title: t}}
            """);

    TraceEvent.RunFailed failed = none.awaitFailure();

    assertThat(failed.error().code()).isEqualTo("milestone_failed");
    assertThat(failed.error().message()).contains("git init");
    assertThat(none.events(TraceEvent.StepRetried.class)).isEmpty();
    assertThat(merging.awaitFailure().error().message())
        .contains("a merge is in progress", "git merge --continue");
  }

  @Test
  void shouldGoOnAndCountOnWhereTheCutCannotBeStored() throws Exception {
    services.store.away = true;
    TestRun run =
        run(
            """
            name: away
            steps:
              - {id: one, shell: git init --quiet, milestone: {title: One}}
              - {id: two, shell: echo two > two, milestone: {title: Two}}
            """);

    run.awaitEnd();

    assertThat(milestones(run))
        .extracting(saved -> Objects.requireNonNull(saved.milestone()).index())
        .containsExactly(0, 1);
    assertThat(milestones(run)).allSatisfy(saved -> assertThat(saved.error()).contains("stored"));
    assertThat(run.completed("two").withoutCut()).isTrue();
    Path files = runner.data.resolve("runs/" + run.id + "/workspace");
    assertThat(Files.isDirectory(files)).isTrue();
    assertThat(git(files, "rev-list", "--count", "HEAD")).isEqualTo("2");
  }
}
