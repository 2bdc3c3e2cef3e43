/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.standalone.Component;
import dev.baton.standalone.Stack;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * SIGKILL of any process in the middle of a pipeline: the run ends with the same result, and no
 * completed step runs again.
 */
class ComponentDeathTest {
  private static final String[] MOMENTS = {"seed", "append", "count", "mark", "report"};

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  @SuppressWarnings("NullAway.Init")
  static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static Stack stack;

  @SuppressWarnings("NullAway.Init")
  private static Api api;

  @SuppressWarnings("NullAway.Init")
  private static String undisturbed;

  @BeforeAll
  static void start() throws Exception {
    stack = Stack.builder().data(folder.resolve("stack")).start();
    api = new Api(stack.orchestratorUrl());
    api.push(Pipeline.definition());
    JsonNode run = Pipeline.start(api, folder, "undisturbed", "0.05").finish();
    assertThat(run.path("status").asText()).as("%s", run).isEqualTo("completed");
    undisturbed = run.path("output").asText();
    assertThat(undisturbed).hasSize(64);
  }

  @AfterAll
  static void stop() throws Exception {
    if (stack != null) {
      stack.close();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Component.class,
      names = {"ORCHESTRATOR", "STORE", "KAFKA", "POSTGRES"})
  void shouldCompleteWithTheSameResultWhenAServerIsKilled(Component component) throws Exception {
    long seed = System.nanoTime();
    String moment = MOMENTS[new Random(seed).nextInt(MOMENTS.length - 1)];
    System.out.println("seed " + seed + ": " + component + " dies while step " + moment + " runs");
    Pipeline pipeline = Pipeline.start(api, folder, "death-of-" + component, "0.4");
    pipeline.awaitBegin(moment);

    stack.kill(component);
    stack.restart(component);

    assertSame(pipeline);
  }

  @Test
  void shouldCompleteWithTheSameResultWhenTheObjectStoreIsKilled() throws Exception {
    Pipeline pipeline = Pipeline.start(api, folder, "death-of-s3", "0.4");
    pipeline.awaitBegin("append");

    stack.kill(Component.S3);
    stack.restart(Component.S3);

    assertSame(pipeline);
  }

  @Test
  void shouldCompleteWithTheSameResultWhenTheRunnerIsKilledAgainAndAgain() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    System.out.println("seed " + seed + ": the runner dies at seeded moments");
    Pipeline pipeline = Pipeline.start(api, folder, "death-of-runner", "0.4");
    for (String moment : MOMENTS) {
      if (moment.equals("report")) {
        Await.until(
            "the approval", java.time.Duration.ofSeconds(60), () -> api.approve(pipeline.run));
      }
      pipeline.awaitBegin(moment);
      Thread.sleep(random.nextInt(350)); // a moment within the step, not a wait for anything
      killRunner(pipeline.run);
    }

    assertSame(pipeline);
    assertThat(api.run(pipeline.run).path("epoch").asInt()).isGreaterThanOrEqualTo(4);
  }

  private static void killRunner(String run) throws Exception {
    JsonNode runner = api.run(run).path("runner");
    if (runner.hasNonNull("pid")) {
      ProcessHandle.of(runner.path("pid").asLong())
          .filter(process -> process.info().command().orElse("").endsWith("java"))
          .ifPresent(ProcessHandle::destroyForcibly);
    }
  }

  private static void assertSame(Pipeline pipeline) throws Exception {
    JsonNode run = pipeline.finish();
    assertThat(run.path("status").asText()).as("%s", run).isEqualTo("completed");
    assertThat(run.path("output").asText()).isEqualTo(undisturbed);
    assertThat(pipeline.repeated()).isEmpty();
  }
}
