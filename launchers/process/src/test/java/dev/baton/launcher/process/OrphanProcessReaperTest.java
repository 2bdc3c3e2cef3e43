/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.process.ProcfsProcessReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests with real processes. */
@EnabledOnOs(OS.LINUX)
class OrphanProcessReaperTest {
  private final List<Process> started = new ArrayList<>();

  private static String newRun() {
    return UUID.randomUUID().toString();
  }

  @AfterEach
  void killAll() {
    started.forEach(Process::destroyForcibly);
  }

  private Process start(Map<String, String> environment, Path directory, String script)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder("/usr/bin/setsid", "/bin/sh", "-c", script);
    builder.environment().putAll(environment);
    builder.directory(directory.toFile());
    builder.redirectErrorStream(true).redirectOutput(new File("/dev/null"));
    Process process = builder.start();
    started.add(process);
    return process;
  }

  private static void kill(Path folder, String run, Long... seeds) {
    List<String> killed = new ArrayList<>();
    Map<String, Set<Long>> left =
        OrphanProcessReaper.sparingSelf(folder.resolve("runs"), ProcessTerminator.SIGKILL)
            .kill(Map.of(run, 2), Map.of(run, List.of(seeds)), Duration.ofSeconds(3), killed::add);
    assertThat(left).isEmpty();
    assertThat(killed).containsExactly(run);
  }

  /** Returns the process whose pid the script has written to the file. */
  private static ProcessHandle written(Path file) {
    long end = System.nanoTime() + Duration.ofSeconds(10).toNanos();
    while (true) {
      try {
        String text = Files.exists(file) ? Files.readString(file) : "";
        if (text.endsWith("\n")) {
          return ProcessHandle.of(Long.parseLong(text.strip())).orElseThrow();
        }
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
      assertThat(System.nanoTime()).isLessThan(end);
      java.util.concurrent.locks.LockSupport.parkNanos(5_000_000);
    }
  }

  @Test
  void shouldKillAChildThatOutlivedItsKilledParent(@TempDir Path folder) throws Exception {
    String run = newRun();
    Path pid = folder.resolve("pid");
    Process runner =
        start(
            Map.of("BATON_RUN_ID", run, "BATON_EPOCH", "1"),
            folder,
            "sh -c 'echo $$ > " + pid + "; exec sleep 600' & wait");
    ProcessHandle child = written(pid);
    runner.destroyForcibly().waitFor();
    assertThat(child.isAlive()).isTrue();

    kill(folder, run);

    assertThat(alive(child)).isFalse();
  }

  @Test
  void shouldKillADaemonThatLeftSessionGroupAndParent(@TempDir Path folder) throws Exception {
    String run = newRun();
    Path pid = folder.resolve("pid");
    Process runner =
        start(
            Map.of("BATON_RUN_ID", run, "BATON_EPOCH", "1"),
            folder,
            "(setsid sh -c 'echo $$ > " + pid + "; exec sleep 600' &) ; exit 0");
    ProcessHandle daemon = written(pid);
    runner.waitFor();
    assertThat(daemon.parent().map(ProcessHandle::pid))
        .isNotEqualTo(java.util.Optional.of(runner.pid()));

    kill(folder, run);

    assertThat(alive(daemon)).isFalse();
  }

  @Test
  void shouldKillWhatHidItsEnvironmentButStayedInTheSession(@TempDir Path folder) throws Exception {
    String run = newRun();
    Path pid = folder.resolve("pid");
    Process runner =
        start(Map.of(), folder, "env -i /bin/sh -c 'echo $$ > " + pid + "; exec sleep 600' & wait");
    ProcessHandle child = written(pid);
    long seed = runner.pid();
    runner.destroyForcibly().waitFor();

    kill(folder, run, seed);

    assertThat(alive(child)).isFalse();
  }

  @Test
  void shouldKillWhatWorksInTheRunsFolder(@TempDir Path folder) throws Exception {
    String run = newRun();
    Path workspace =
        Files.createDirectories(folder.resolve("runs").resolve(run).resolve("workspace"));
    Path other = Files.createDirectories(folder.resolve("runs").resolve(newRun()));
    Process inside = start(Map.of(), workspace, "exec sleep 600");
    Process outside = start(Map.of(), other, "exec sleep 600");

    kill(folder, run);

    assertThat(inside.waitFor(5, TimeUnit.SECONDS)).isTrue();
    assertThat(outside.isAlive()).isTrue();
  }

  @Test
  void shouldSpareAStepOfTheCurrentEpochThatHidItsEnvironment(@TempDir Path folder)
      throws Exception {
    String run = newRun();
    Path workspace =
        Files.createDirectories(folder.resolve("runs").resolve(run).resolve("workspace"));
    Path pid = folder.resolve("pid");
    Process current =
        start(
            Map.of("BATON_RUN_ID", run, "BATON_EPOCH", "2"),
            workspace,
            "env -i /bin/sh -c 'echo $$ > " + pid + "; exec sleep 600' & wait");
    ProcessHandle step = written(pid);

    kill(folder, run);

    assertThat(alive(step)).isTrue();
    assertThat(current.isAlive()).isTrue();
    step.destroyForcibly();
  }

  @Test
  void shouldSpareTheCurrentEpochAndOtherRuns(@TempDir Path folder) throws Exception {
    String run = newRun();
    Process old = start(Map.of("BATON_RUN_ID", run, "BATON_EPOCH", "1"), folder, "exec sleep 600");
    Process current =
        start(Map.of("BATON_RUN_ID", run, "BATON_EPOCH", "2"), folder, "exec sleep 600");
    Process other =
        start(Map.of("BATON_RUN_ID", newRun(), "BATON_EPOCH", "1"), folder, "exec sleep 600");

    kill(folder, run);

    assertThat(old.waitFor(5, TimeUnit.SECONDS)).isTrue();
    assertThat(current.isAlive()).isTrue();
    assertThat(other.isAlive()).isTrue();
  }

  @Test
  void shouldReportEachRunAtOnceWhileAProcessOfAnotherCannotBeKilled(@TempDir Path folder)
      throws Exception {
    String run = newRun();
    String stuck = newRun();
    Process old = start(Map.of("BATON_RUN_ID", run, "BATON_EPOCH", "1"), folder, "exec sleep 600");
    Process immortal =
        start(Map.of("BATON_RUN_ID", stuck, "BATON_EPOCH", "1"), folder, "exec sleep 600");
    List<String> killed = new ArrayList<>();
    CompletableFuture<Void> first = new CompletableFuture<>();

    CompletableFuture<Map<String, Set<Long>>> left =
        CompletableFuture.supplyAsync(
            () ->
                OrphanProcessReaper.sparingSelf(
                        folder.resolve("runs"),
                        pid -> {
                          if (pid != immortal.pid()) {
                            ProcessTerminator.SIGKILL.terminate(pid);
                          }
                        })
                    .kill(
                        Map.of(run, 2, stuck, 2),
                        Map.of(),
                        Duration.ofSeconds(3),
                        done -> {
                          killed.add(done);
                          first.complete(null);
                        }));

    first.get(20, TimeUnit.SECONDS);
    assertThat(left).isNotDone();
    assertThat(left.get(20, TimeUnit.SECONDS).keySet()).containsExactly(stuck);
    assertThat(killed).containsExactly(run);
    assertThat(old.waitFor(5, TimeUnit.SECONDS)).isTrue();
    assertThat(immortal.isAlive()).isTrue();
    kill(folder, stuck);
  }

  /** A zombie counts as dead. */
  private static boolean alive(ProcessHandle handle) {
    return ProcfsProcessReader.entry(handle.pid()).map(entry -> !entry.isDead()).orElse(false);
  }
}
