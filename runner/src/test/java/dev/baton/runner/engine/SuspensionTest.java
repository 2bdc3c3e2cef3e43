/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.grpc.Confirm;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunner;
import dev.baton.runner.testkit.TopicView;
import dev.baton.standalone.StackComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Behavior of a runner while the brokers do not answer, and when they do again. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
class SuspensionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int TALKS = 40;

  private final RunnerTestEnvironment services;

  @TempDir Path folder;

  SuspensionTest(RunnerTestEnvironment services) {
    this.services = services;
  }

  /**
   * Starts a run with one step that counts in a file. Short steps next to it end all the time, so
   * that there are always events to publish.
   */
  private TestRun start(TestRunner runner) throws Exception {
    services.gateway.awaitHello(runner.id);
    String talks =
        IntStream.range(0, TALKS)
            .mapToObj(
                i ->
                    "{id: t%d, workspace: none, shell: 'sleep 0.2; echo %d >> %s/said'}"
                        .formatted(i, i, folder))
            .collect(Collectors.joining(", "));
    return new TestRun(
            services,
            """
            name: suspended
            steps:
              - id: both
                parallel:
                  branches:
                    counts: [{id: count, shell: 'until [ -e FOLDER/end ]; do echo x >> FOLDER/count; sleep 0.02; done'}]
                    talks: [TALKS]
              - {id: last, transform: '"done"'}
            """
                .replace("FOLDER", folder.toString())
                .replace("[TALKS]", "[" + talks + "]"),
            "{}")
        .start(runner.id);
  }

  private long counted() throws Exception {
    Path count = folder.resolve("count");
    return Files.exists(count) ? Files.size(count) : 0;
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(String what, Condition condition) throws Exception {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.holds()) {
      assertThat(System.nanoTime()).as(what).isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  private void awaitStandstill() throws Exception {
    await(
        "the step stands still",
        () -> {
          long before = counted();
          TimeUnit.MILLISECONDS.sleep(500);
          return counted() == before;
        });
  }

  private List<Path> spooled(TestRunner runner) throws Exception {
    Path spool = runner.data.resolve("spool");
    if (!Files.isDirectory(spool)) {
      return List.of();
    }
    try (var files = Files.list(spool)) {
      return files.toList();
    }
  }

  @Test
  void shouldStandStillWhileNoBrokerAnswersAndGoOnOnlyWhenConfirmed() throws Exception {
    try (TestRunner runner = new TestRunner(services, Map.of())) {
      TestRun run = start(runner);
      await("the step runs", () -> counted() > 0);

      services.gateway.leaveUnconfirmed(run.id);
      services.stack().kill(StackComponent.KAFKA);
      awaitStandstill();
      assertThat(services.gateway.isConfirmAsked(run.id)).isFalse();
      services.stack().restart(StackComponent.KAFKA);

      Confirm asked = services.gateway.awaitConfirm(run.id);
      long before = counted();
      TimeUnit.MILLISECONDS.sleep(500);
      assertThat(counted()).isEqualTo(before);
      assertThat(
              TopicView.await(
                  services,
                  TopicName.HEARTBEATS,
                  run.id,
                  beat -> beat.path("state").asText().equals("suspended")))
          .isNotEmpty();
      services.gateway.confirm(runner.id, asked);
      await("the step continues", () -> counted() > before);
      Files.createFile(folder.resolve("end"));

      assertThat(run.awaitOutput().textValue()).isEqualTo("done");
      assertThat(run.events(TraceEvent.StepCompleted.class))
          .extracting(TraceEvent.StepCompleted::step)
          .doesNotHaveDuplicates();
      assertThat(Files.readAllLines(folder.resolve("said"))).hasSize(TALKS).doesNotHaveDuplicates();
      assertThat(services.trace.state(run.id, 0).head().gap()).isNull();
      await("the spool is empty", () -> spooled(runner).isEmpty());
    }
  }

  @Test
  void shouldKeepWhatItCouldNotTellWhenItIsFenced() throws Exception {
    try (TestRunner runner = new TestRunner(services, Map.of())) {
      TestRun run = start(runner);
      await("the step runs", () -> counted() > 0);
      services.gateway.leaveUnconfirmed(run.id);
      services.stack().kill(StackComponent.KAFKA);
      awaitStandstill();
      await("the spool has events", () -> !spooled(runner).isEmpty());
      long before = counted();
      services.stack().restart(StackComponent.KAFKA);
      services.gateway.awaitConfirm(run.id);

      services.gateway.fence(runner.id, run.id, 1);

      assertThat(services.gateway.awaitReleased(run.id, 1).getOutcome()).isEqualTo("fenced");
      assertThat(counted()).isEqualTo(before);
      List<Path> kept = spooled(runner);
      assertThat(kept).hasSize(1);
      assertThat(kept.getFirst().getFileName()).hasToString(run.id + "-1.jsonl");
      assertThat(Files.readAllLines(kept.getFirst()))
          .isNotEmpty()
          .allSatisfy(line -> assertThat(line).contains("\"id\":\"" + run.id + "/1/"));
      assertThat(
              TopicView.await(
                  services,
                  TopicName.LOGS,
                  run.id,
                  line -> line.path("text").asText().contains(kept.getFirst().toString())))
          .isNotEmpty();
    }
  }
}
