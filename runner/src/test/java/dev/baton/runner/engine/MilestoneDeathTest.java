/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.milestone.MilestoneMessageCodec;
import dev.baton.milestone.git.GitClient;
import dev.baton.milestone.sidecar.MilestoneSidecar;
import dev.baton.milestone.sidecar.SidecarStore;
import dev.baton.protocol.state.RunStatus;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.protocol.trace.TraceRecord;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunnerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Kills the runner with SIGKILL at random moments of steps that end with milestones. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
class MilestoneDeathTest {
  private static final int MILESTONES = 4;
  private static final int KILLS = Integer.getInteger("baton.kills", 2);

  private final RunnerTestEnvironment services;
  @TempDir Path work;

  MilestoneDeathTest(RunnerTestEnvironment services) {
    this.services = services;
  }

  private static String definition() {
    StringBuilder yaml =
        new StringBuilder("name: deaths\nsteps:\n  - {id: begin, shell: git init --quiet}\n");
    for (int i = 0; i < MILESTONES; i++) {
      yaml.append(
          """
            - id: part-%d
              shell: 'for i in 1 2 3 4 5; do head -c 200000 /dev/urandom > "part-%d-$i"; sleep 0.02; done'
              milestone: {title: Part %d, verify: [sleep 0.1; test -s part-%d-5]}
          """
              .formatted(i, i, i, i));
    }
    return yaml.toString();
  }

  private TestRunnerProcess attach(TestRun run, Path data) throws Exception {
    run.nextEpoch();
    TestRunnerProcess process = new TestRunnerProcess(services, run, data);
    services.gateway.awaitHello(process.id);
    services.gateway.assign(process.id, run.assign());
    return process;
  }

  /**
   * Kills the remaining processes, like the orchestrator's launcher before it starts a replacement.
   */
  private static void killStepsOf(TestRun run) {
    ProcessHandle.allProcesses()
        .filter(
            process -> {
              try {
                return Files.readString(Path.of("/proc/" + process.pid() + "/environ"))
                    .contains("BATON_RUN_ID=" + run.id);
              } catch (IOException notOurs) {
                return false;
              }
            })
        .forEach(ProcessHandle::destroyForcibly);
  }

  private static boolean hasCompleted(List<TraceRecord> trace) {
    return trace.stream().anyMatch(record -> record.event() instanceof TraceEvent.RunCompleted);
  }

  private static String git(Path repository, String... arguments) throws Exception {
    return new GitClient(repository, Map.of("PATH", System.getenv("PATH")), Duration.ofSeconds(30))
        .here()
        .ask(arguments);
  }

  @Test
  void shouldMakeEachMilestoneOnceHoweverOftenItsRunnerIsKilled() throws Exception {
    long seed = Long.getLong("baton.seed", System.nanoTime());
    System.out.println("seed " + seed + " (-Dbaton.seed)");
    Random random = new Random(seed);
    TestRun run = new TestRun(services, definition(), "{}");
    Path data = services.data().resolve("deaths-" + run.id);

    // A fast machine may finish before all of them.
    for (int kill = 0; kill < KILLS && !hasCompleted(services.trace.records(run.id)); kill++) {
      try (TestRunnerProcess process = attach(run, data)) {
        int epoch = run.epoch();
        services.trace.await(
            run.id,
            all -> hasCompleted(all) || all.stream().anyMatch(r -> r.id().lane().epoch() == epoch));
        TimeUnit.MILLISECONDS.sleep(random.nextInt(1_500));
      }
      killStepsOf(run);
    }
    if (!hasCompleted(services.trace.records(run.id))) {
      try (TestRunnerProcess process = attach(run, data)) {
        run.awaitEnd();
        assertThat(process.awaitExit()).isZero();
      }
    }

    assertThat(services.trace.state(run.id, 0).head().status()).isEqualTo(RunStatus.COMPLETED);
    Cut cut = Objects.requireNonNull(run.completed("part-" + (MILESTONES - 1)).cut());
    Path files =
        services.store.restore(Objects.requireNonNull(cut.checkpoint()), work.resolve("files"));
    List<String> commits = git(files, "log", "--reverse", "--format=%H %s").lines().toList();
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < MILESTONES; i++) {
      String commit = commits.get(i).substring(0, commits.get(i).indexOf(' '));
      expected.add(commit + " " + MilestoneMessageCodec.of(run.id, i));
      assertThat(git(files, "diff-tree", "--root", "--no-commit-id", "--name-only", commit).lines())
          .hasSize(5)
          .allMatch(name -> name.startsWith("part-"));
    }
    assertThat(commits).isEqualTo(expected);
    assertThat(new SidecarStore(files, SidecarStore.Format.BATON).list().of(run.id))
        .extracting(MilestoneSidecar::sha)
        .containsExactlyElementsOf(commits.stream().map(line -> line.split(" ", 2)[0]).toList());
    assertThat(new SidecarStore(files, SidecarStore.Format.BATON).indexProblems()).isEmpty();
    git(files, "fsck", "--strict");
    assertThat(git(files, "status", "--porcelain")).isEmpty();
    assertThat(
            run.events(TraceEvent.StepCompleted.class).stream()
                .filter(done -> done.milestone() != null))
        .extracting(TraceEvent.StepCompleted::milestone)
        .contains(0, 1, 2, 3);
  }
}
