/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.standalone.files.DirectoryTreeDeleter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Kills the runner with SIGKILL at random moments of steps that rewrite thousands of files, of cuts
 * and of restores. Each repeated step must find and leave the workspace byte for byte as in an
 * undisturbed run, including times and modes. {@code -Dbaton.kills=N} sets the number of kills
 * (default six); a run is killed at most six times.
 */
@UsesSharedStack
class WorkspaceDeathTest {
  private static final int KILLS = Integer.getInteger("baton.kills", 2);
  private static final int KILLS_OF_A_RUN = 6;

  /** With this number of kills, all but the shortest phases are hit, or the test is wrong. */
  private static final int MANY = 100;

  /** A run takes about fifteen seconds, a failover two; several times that on a busy machine. */
  private static final Duration LONGEST = Duration.ofSeconds(300);

  private static final Set<String> ENDED = Set.of("completed", "failed", "cancelled", "lost");

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @SuppressWarnings("NullAway.Init")
  private static RewriteWorkflow rewrite;

  @SuppressWarnings("NullAway.Init")
  private static Undisturbed undisturbed;

  private record Undisturbed(JsonNode output, WorkspaceLedger ledger, Duration length) {}

  @BeforeAll
  static void runUndisturbed(SharedStackExtension.RunningStack running) throws Exception {
    on = running;
    rewrite = RewriteWorkflow.push(on);
    long began = System.nanoTime();
    RewriteWorkflow.Started started = rewrite.start();
    JsonNode output = started.run().output();
    Duration length = Duration.ofNanos(System.nanoTime() - began);
    assertThat(output.asText()).matches("[0-9a-f]{64}");
    assertThat(started.run().repeated()).isEmpty();
    assertLooksAreHarmless(started.ledger());
    undisturbed = new Undisturbed(output, started.ledger(), length);
  }

  /**
   * Checks that each step finds what the previous step has left: recording a workspace does not
   * change it.
   */
  private static void assertLooksAreHarmless(WorkspaceLedger ledger) throws IOException {
    List<WorkspaceLedger.Line> lines =
        ledger.lines().stream()
            .filter(line -> !line.position().equals(WorkspaceLedger.ENTER))
            .toList();
    assertThat(lines).hasSize(2 * rewrite.steps().size());
    for (int i = 2; i < lines.size(); i += 2) {
      assertThat(lines.get(i).digest()).as("%s", lines.get(i)).isEqualTo(lines.get(i - 1).digest());
    }
  }

  @Test
  void shouldRestoreEveryByteWhenTheRunnerIsKilledAtAnyMoment() throws Exception {
    Random random = SeededRandomFactory.random("the runner dies while the workspace is rewritten");
    EnumMap<KillMoment, Integer> moments = new EnumMap<>(KillMoment.class);
    int hit = 0;
    for (int run = 1; hit < KILLS; run++) {
      assertThat(run).as("runs in which %d kills have hit", hit).isLessThanOrEqualTo(KILLS + 2);
      EnumMap<KillMoment, Integer> ofRun =
          disturb(random, Math.min(KILLS_OF_A_RUN, KILLS - hit), moments);
      hit = moments.values().stream().mapToInt(Integer::intValue).sum();
      System.out.printf("  run %d was killed: %s%n", run, KillMoment.told(ofRun));
    }
    System.out.printf("  %d kills: %s%n", hit, KillMoment.told(moments));
    if (KILLS >= MANY) {
      assertThat(moments)
          .containsKeys(
              KillMoment.STARTING, KillMoment.RESTORING, KillMoment.STEP, KillMoment.CUTTING);
    }
  }

  private static EnumMap<KillMoment, Integer> disturb(
      Random random, int kills, EnumMap<KillMoment, Integer> all) throws Exception {
    RewriteWorkflow.Started started = rewrite.start();
    PipelineRun run = started.run();
    List<KillMoment.Kill> hits = killAtRandom(run, random, kills);

    JsonNode output = run.output();
    assertThat(started.ledger().differencesTo(undisturbed.ledger())).isEmpty();
    assertThat(output).isEqualTo(undisturbed.output());
    assertThat(run.repeated()).isEmpty();
    Map<String, Integer> completed = run.completed();
    assertThat(completed).containsOnlyKeys(rewrite.steps());
    // The last runner may have been killed after the run had ended.
    assertThat(on.api.run(run.id).path("epoch").asInt()).isBetween(hits.size(), 1 + hits.size());

    EnumMap<KillMoment, Integer> moments = new EnumMap<>(KillMoment.class);
    for (KillMoment.Kill hit : hits) {
      KillMoment moment = KillMoment.of(hit, started.ledger(), completed);
      moments.merge(moment, 1, Integer::sum);
      all.merge(moment, 1, Integer::sum);
    }
    DirectoryTreeDeleter.delete(started.ledger().folder());
    return moments;
  }

  /** Kills until this number of kills has hit, or the run has ended. */
  private static List<KillMoment.Kill> killAtRandom(PipelineRun run, Random random, int kills)
      throws Exception {
    List<KillMoment.Kill> hits = new ArrayList<>();
    Set<String> known = new HashSet<>();
    long longestGap = 2 * undisturbed.length().toMillis() / KILLS_OF_A_RUN;
    long end = System.nanoTime() + LONGEST.toNanos();
    while (hits.size() < kills && System.nanoTime() < end && !hasEnded(run)) {
      TimeUnit.MILLISECONDS.sleep(random.nextLong(longestGap));
      boolean whole = random.nextBoolean();
      Optional<RunnerProcessHandle> runner = RunnerProcessHandle.of(run.id);
      if (runner.isPresent() && runner.get().kill(whole)) {
        boolean halfMade = known.addAll(runner.get().besideWorkspace());
        hits.add(new KillMoment.Kill(runner.get().epoch(), halfMade));
      }
    }
    return hits;
  }

  private static boolean hasEnded(PipelineRun run) throws IOException, InterruptedException {
    return ENDED.contains(on.api.run(run.id).path("status").asText());
  }
}
