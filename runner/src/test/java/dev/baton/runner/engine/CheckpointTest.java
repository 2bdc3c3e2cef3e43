/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.baton.protocol.manifest.CheckpointTrigger;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.steps.StepFunction;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunner;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Tests when checkpoints are created, and their content. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CheckpointTest {
  private final RunnerTestEnvironment services;
  private final Map<String, StepFunction> functions = new ConcurrentHashMap<>();
  private final TestRunner runner;
  @TempDir Path work;

  CheckpointTest(RunnerTestEnvironment services) {
    this.services = services;
    this.runner = new TestRunner(services, functions, Map.of("baton.checkpoint.interval", "1s"));
  }

  @BeforeAll
  void attach() throws Exception {
    services.gateway.awaitHello(runner.id);
  }

  @AfterEach
  void comeBack() {
    services.store.away = false;
    services.store.confused = false;
  }

  @AfterAll
  void close() {
    runner.close();
  }

  private TestRun run(String yaml) throws Exception {
    return new TestRun(services, yaml, "{}").start(runner.id);
  }

  private Path restored(String checkpoint) throws Exception {
    return services.store.restore(checkpoint, work.resolve(checkpoint));
  }

  private TraceEvent.CheckpointSaved awaitSaved(TestRun run, CheckpointTrigger trigger)
      throws InterruptedException {
    return services.trace.await(
        run.id, TraceEvent.CheckpointSaved.class, e -> e.trigger().equals(trigger.word()));
  }

  private static List<TraceEvent.CheckpointSaved> saved(TestRun run, CheckpointTrigger trigger) {
    return run.events(TraceEvent.CheckpointSaved.class).stream()
        .filter(e -> e.trigger().equals(trigger.word()))
        .toList();
  }

  @Test
  void shouldMakeThemInsideALongStepWithoutStoppingIt() throws Exception {
    TestRun run =
        run(
            """
            name: long
            steps:
              - {id: first, shell: 'echo kept > old'}
              - id: s
                shell: 'for i in 1 2 3 4 5 6 7 8; do echo $i >> count; sleep 0.4; done; wc -l < count'
                output: json
            """);

    TraceEvent.CheckpointSaved saved = awaitSaved(run, CheckpointTrigger.PERIODIC);

    assertThat(run.events(TraceEvent.StepCompleted.class)).hasSize(1);
    Path files = restored(saved.checkpoint());
    assertThat(files.resolve("old")).hasContent("kept");
    assertThat(Files.readAllLines(files.resolve("count"))).startsWith("1").hasSizeBetween(1, 8);
    Manifest manifest = services.store.manifest(saved.checkpoint());
    assertThat(manifest.trigger()).isEqualTo(CheckpointTrigger.PERIODIC);
    assertThat(manifest.run().step()).isEqualTo("s");
    assertThat(manifest.run().visit()).isEqualTo(1);
    assertThat(manifest.workspace().digest())
        .isEqualTo(Objects.requireNonNull(saved.cut()).digest());
    assertThat(run.awaitOutput().asInt()).isEqualTo(8);
    assertThat(run.events(TraceEvent.StepStarted.class)).hasSize(2);
  }

  @Test
  void shouldMakeNoneWhereNothingHasChangedAndNoneAfterTheStep() throws Exception {
    TestRun run =
        run(
            """
            name: idle
            steps:
              - {id: write, shell: 'echo once > file; sleep 3.5'}
              - {id: look, shell: 'sleep 1.5; cat file'}
              - {id: none, workspace: none, shell: 'sleep 1.5'}
            """);

    run.awaitEnd();

    assertThat(saved(run, CheckpointTrigger.PERIODIC))
        .singleElement()
        .satisfies(e -> assertThat(e.step()).isEqualTo("write"));
  }

  @Test
  void shouldBeDueAgainSoonAfterAFailure() throws Exception {
    services.store.away = true;
    TestRun run = run("{name: retry, steps: [{id: s, shell: 'echo a > file; sleep 7'}]}");

    TraceEvent.CheckpointSaved failed = awaitSaved(run, CheckpointTrigger.PERIODIC);
    services.store.away = false;
    TraceEvent.CheckpointSaved made =
        services.trace.await(run.id, TraceEvent.CheckpointSaved.class, e -> e.cut() != null);

    assertThat(failed.cut()).isNull();
    assertThat(failed.error()).contains("away");
    assertThat(made.trigger()).isEqualTo("periodic");
    assertThat(run.events(TraceEvent.StepCompleted.class)).isEmpty();
    run.awaitEnd();
    assertThat(run.events(TraceEvent.StepFailed.class)).isEmpty();
  }

  @Test
  void shouldKeepTheFilesOfAFailedStep() throws Exception {
    TestRun run =
        run(
            """
            name: error
            steps:
              - {id: a, shell: 'echo a > a'}
              - {id: b, shell: 'echo half > b; exit 3'}
            """);

    run.awaitFailure();

    TraceEvent.CheckpointSaved saved = awaitSaved(run, CheckpointTrigger.ERROR);
    Path files = restored(saved.checkpoint());
    assertThat(files.resolve("a")).hasContent("a");
    assertThat(files.resolve("b")).hasContent("half");
    assertThat(services.store.manifest(saved.checkpoint()).run().step()).isEqualTo("b");
    assertThat(saved(run, CheckpointTrigger.COMPLETE)).isEmpty();
  }

  @Test
  void shouldKeepWhatACompletedRunHasMade() throws Exception {
    TestRun run =
        run(
            """
            name: complete
            steps:
              - {id: a, shell: 'mkdir d; echo made > d/file'}
              - {id: b, shell: 'cat d/file'}
            """);

    run.awaitEnd();

    assertThat(saved(run, CheckpointTrigger.COMPLETE))
        .singleElement()
        .satisfies(
            saved -> {
              assertThat(saved.step()).isNull();
              assertThat(restored(saved.checkpoint()).resolve("d/file")).hasContent("made");
            });
    List<TraceEvent> events = run.events();
    assertThat(events.get(events.size() - 2)).isInstanceOf(TraceEvent.CheckpointSaved.class);
  }

  @Test
  void shouldMakeOneOnDemandAndOnlyOncePerRequest() throws Exception {
    TestRun run =
        run(
            """
            name: demand
            steps:
              - {id: s, shell: 'echo now > file; touch started; sleep 3'}
            """);
    awaitSaved(run, CheckpointTrigger.PERIODIC);
    String manual = RunId.next();
    String detach = RunId.next();

    services.gateway.checkpoint(runner.id, run.id, "manual", manual);
    services.gateway.checkpoint(runner.id, run.id, "manual", manual);
    services.gateway.checkpoint(runner.id, run.id, "detach", detach);

    TraceEvent.CheckpointSaved saved = awaitSaved(run, CheckpointTrigger.MANUAL);
    assertThat(saved.checkpoint()).isEqualTo(manual);
    assertThat(saved.step()).isNull();
    assertThat(restored(manual).resolve("file")).hasContent("now");
    assertThat(awaitSaved(run, CheckpointTrigger.DETACH).checkpoint()).isEqualTo(detach);
    assertThat(services.store.manifest(detach).trigger()).isEqualTo(CheckpointTrigger.DETACH);
    run.awaitEnd();
    assertThat(saved(run, CheckpointTrigger.MANUAL)).hasSize(1);
  }

  @Test
  void shouldSayWhyThereIsNoneOnDemand() throws Exception {
    TestRun bare = run("{name: bare, steps: [{id: nap, wait: 4s}]}");
    TestRun busy = run("{name: busy, steps: [{id: s, shell: 'echo x > f; sleep 4'}]}");
    services.trace.await(bare.id, TraceEvent.StepStarted.class, e -> true);
    services.trace.await(busy.id, TraceEvent.StepStarted.class, e -> true);
    services.store.away = true;

    assertThat(refused(bare.id, "manual")).contains("no workspace");
    assertThat(refused(RunId.next(), "manual")).contains("does not carry");
    assertThat(refused(busy.id, "whenever")).contains("whenever").contains("manual");
    assertThat(refused(busy.id, "manual")).contains("away");

    TraceEvent.CheckpointSaved told = awaitSaved(busy, CheckpointTrigger.MANUAL);
    assertThat(told.error()).contains("away");
    services.store.away = false;
    busy.awaitEnd();
    bare.awaitEnd();
  }

  private String refused(String run, String trigger) throws InterruptedException {
    String request = RunId.next();
    services.gateway.checkpoint(runner.id, run, trigger, request);
    return services.gateway.awaitCheckpointFailed(request).getReason();
  }

  @Test
  void shouldMakeOneOfFilesThatNoCutHas() throws Exception {
    services.store.away = true;
    TestRun run =
        run(
            """
            name: uncut
            steps:
              - {id: a, shell: 'echo only here > file'}
              - {id: b, workspace: none, shell: 'sleep 2'}
            """);
    TraceEvent.StepCompleted completed =
        services.trace.await(run.id, TraceEvent.StepCompleted.class, e -> e.step().equals("a"));
    assertThat(completed.cut()).isNull();
    services.store.away = false;
    String request = RunId.next();

    services.gateway.checkpoint(runner.id, run.id, "manual", request);

    awaitSaved(run, CheckpointTrigger.MANUAL);
    assertThat(restored(request).resolve("file")).hasContent("only here");
    run.awaitEnd();
  }

  @Test
  void shouldGoOnWithoutACutWhateverGoesWrongWithIt() throws Exception {
    services.store.confused = true;
    TestRun run =
        run(
            """
            name: confused
            steps:
              - {id: a, shell: 'head -c 700000 /dev/urandom > file'}
              - {id: b, workspace: none, shell: 'wc -c < file', output: json}
            """);

    assertThat(run.awaitOutput().asInt()).isEqualTo(700_000);

    assertThat(run.completed("a").withoutCut()).isTrue();
    assertThat(saved(run, CheckpointTrigger.COMPLETE))
        .singleElement()
        .satisfies(failed -> assertThat(failed.error()).contains("IndexOutOfBounds"));
  }

  @Test
  void shouldStoreEverythingAgainWhenTheStoreHasLostPacks() throws Exception {
    functions.put(
        "lose",
        (arguments, context) -> {
          for (TraceEvent.StepCompleted done :
              services.trace.records(context.run()).stream()
                  .map(record -> record.event())
                  .filter(TraceEvent.StepCompleted.class::isInstance)
                  .map(TraceEvent.StepCompleted.class::cast)
                  .toList()) {
            services.store.losePacks(
                Objects.requireNonNull(Objects.requireNonNull(done.cut()).checkpoint()));
          }
          return NullNode.getInstance();
        });
    TestRun run =
        run(
            """
            name: gone
            steps:
              - {id: a, shell: 'echo old > old'}
              - {id: lose, fn: lose, workspace: none}
              - {id: b, shell: 'echo new > new'}
            """);

    run.awaitEnd();

    Cut cut = cutOf(run, "b");
    Path files = restored(Objects.requireNonNull(cut.checkpoint()));
    assertThat(files.resolve("old")).hasContent("old");
    assertThat(files.resolve("new")).hasContent("new");
  }

  @Test
  void shouldNameTheSameCheckpointWhereNothingHasChanged() throws Exception {
    int commits = services.store.commits.get();
    int uploads = services.store.uploads.get();
    TestRun run =
        run(
            """
            name: same
            steps:
              - {id: a, shell: 'echo a > a'}
              - {id: b, shell: 'cat a'}
              - {id: c, shell: 'cat a'}
            """);

    run.awaitEnd();

    assertThat(cutOf(run, "b").checkpoint()).isEqualTo(cutOf(run, "a").checkpoint());
    assertThat(cutOf(run, "b").storedBytes()).isZero();
    assertThat(cutOf(run, "c").digest()).isEqualTo(cutOf(run, "a").digest());
    // One for the step, one for the run.
    assertThat(services.store.commits.get() - commits).isEqualTo(2);
    assertThat(services.store.uploads.get() - uploads).isEqualTo(1);
  }

  @Test
  void shouldCutEachBranchByItself() throws Exception {
    TestRun run =
        run(
            """
            name: branches
            steps:
              - {id: a, shell: 'echo a > common'}
              - id: each
                parallel:
                  over: '["x", "y"]'
                  steps:
                    - {id: w, shell: 'echo "$I" > "only-$I"', env: {I: "${{ .run.branch.item }}"}}
              - {id: b, shell: 'cat common only-x only-y', output: lines}
            """);

    assertThat(run.awaitOutput().toString()).isEqualTo("[\"a\",\"x\",\"y\"]");

    Path x = restored(Objects.requireNonNull(cutOf(run, "each/0/w").checkpoint()));
    assertThat(x.resolve("common")).hasContent("a");
    assertThat(x.resolve("only-x")).hasContent("x");
    assertThat(x.resolve("only-y")).doesNotExist();
    Path merged = restored(Objects.requireNonNull(cutOf(run, "each").checkpoint()));
    assertThat(merged.resolve("only-x")).exists();
    assertThat(merged.resolve("only-y")).exists();
  }

  private static Cut cutOf(TestRun run, String step) {
    return Objects.requireNonNull(run.completed(step).cut());
  }
}
