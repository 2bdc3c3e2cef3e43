/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.standalone.StackComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Kills each process with SIGKILL in the middle of a pipeline: the run ends with the same result,
 * and no completed step runs again. {@code -Dbaton.rounds=N} repeats every kill N times.
 */
@UsesSharedStack
class ComponentDeathTest {
  private static final double PACE_SECONDS = 0.1;

  /** Maximum delay within a step; it does not wait for a condition. */
  private static final int DELAY_MS = 250;

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static Path repository;

  private static final Map<LedgerPipeline, Undisturbed> UNDISTURBED =
      new EnumMap<>(LedgerPipeline.class);

  private record Undisturbed(JsonNode output, Set<String> steps) {}

  @BeforeAll
  static void runUndisturbed(SharedStackExtension.RunningStack running) throws Exception {
    on = running;
    repository = TestGitRepository.make(on.folder.resolve("repository"));
    for (LedgerPipeline pipeline : LedgerPipeline.values()) {
      PipelineRun run = pipeline.start(on, repository, 0);
      JsonNode output = run.output();
      assertThat(output.toString()).containsPattern("[0-9a-f]{64}");
      assertThat(run.repeated()).isEmpty();
      UNDISTURBED.put(pipeline, new Undisturbed(output, run.completed().keySet()));
    }
  }

  /** Every round kills each server once; consecutive rounds use different pipelines. */
  static Stream<Arguments> deaths() {
    LedgerPipeline[] pipelines = LedgerPipeline.values();
    return IntStream.rangeClosed(1, Integer.getInteger("baton.rounds", 1))
        .boxed()
        .flatMap(
            round ->
                Stream.of(StackComponent.values())
                    .map(
                        component ->
                            Arguments.of(
                                component,
                                pipelines[(component.ordinal() + round) % pipelines.length],
                                round)));
  }

  @ParameterizedTest(name = "{0} dies during {1}, round {2}")
  @MethodSource("deaths")
  void shouldCompleteWithTheSameResultWhenAServerIsKilled(
      StackComponent component, LedgerPipeline pipeline, int round) throws Exception {
    Random random =
        SeededRandomFactory.random(component + " dies during " + pipeline + ", round " + round);
    PipelineRun run = pipeline.start(on, repository, PACE_SECONDS);
    awaitMoment(run, random);

    on.stack.kill(component);
    on.stack.restart(component);

    assertSame(pipeline, run);
  }

  @ParameterizedTest
  @EnumSource(LedgerPipeline.class)
  void shouldCompleteWithTheSameResultWhenTheRunnerIsKilledAgainAndAgain(LedgerPipeline pipeline)
      throws Exception {
    Random random =
        SeededRandomFactory.random("the runner dies again and again during " + pipeline);
    PipelineRun run = pipeline.start(on, repository, PACE_SECONDS);
    int kills = 0;
    for (int at = random.nextInt(3);
        at < run.shells.size();
        at += 1 + random.nextInt(run.shells.size() / 3)) {
      run.awaitBegin(run.shells.get(at));
      TimeUnit.MILLISECONDS.sleep(random.nextInt(DELAY_MS));
      kills += killRunner(run.id) ? 1 : 0;
    }

    assertSame(pipeline, run);
    assertThat(kills).isPositive();
    // The last runner may have been killed after the run had ended.
    assertThat(on.api.run(run.id).path("epoch").asInt()).isBetween(kills, 1 + kills);
  }

  private static void awaitMoment(PipelineRun run, Random random) throws InterruptedException {
    String step = run.shells.get(random.nextInt(run.shells.size()));
    int delay = random.nextInt(DELAY_MS);
    System.out.println("  " + delay + " ms into step " + step + " of run " + run.id);
    run.awaitBegin(step);
    TimeUnit.MILLISECONDS.sleep(delay);
  }

  /** Returns whether the runner existed and was killed. */
  private static boolean killRunner(String run) throws Exception {
    JsonNode pid = on.api.run(run).path("runner").path("pid");
    ProcessHandle runner = ProcessHandle.of(pid.asLong()).orElse(null);
    if (runner == null || !runner.info().command().orElse("").endsWith("java")) {
      return false;
    }
    boolean killed = runner.destroyForcibly();
    Await.until("runner " + pid + " is gone", Duration.ofSeconds(5), () -> !runner.isAlive());
    return killed;
  }

  private static void assertSame(LedgerPipeline pipeline, PipelineRun run) throws Exception {
    Undisturbed undisturbed = Objects.requireNonNull(UNDISTURBED.get(pipeline));
    assertThat(run.output()).isEqualTo(undisturbed.output());
    assertThat(run.completed().keySet()).isEqualTo(undisturbed.steps());
    assertThat(run.repeated()).isEmpty();
  }
}
