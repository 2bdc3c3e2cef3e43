/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests with real processes. */
@EnabledOnOs(OS.LINUX)
class OsProcessTest {
  private final List<Process> started = new ArrayList<>();
  private final String mark = UUID.randomUUID().toString();

  @AfterEach
  void killAll() throws IOException {
    started.forEach(Process::destroyForcibly);
    MarkedProcessFinder.withVariable("TEST_MARK", mark)
        .forEach(left -> left.handle().ifPresent(ProcessHandle::destroyForcibly));
  }

  private Process start(String script) throws IOException {
    return start(script, Path.of("/"));
  }

  private Process start(String script, Path directory) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("setsid", "sh", "-c", script);
    builder.environment().putAll(Map.of("TEST_MARK", mark, "TEST_OTHER", "x"));
    builder.directory(directory.toFile());
    builder.redirectErrorStream(true).redirectOutput(new File("/dev/null"));
    Process process = builder.start();
    started.add(process);
    return process;
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("within 20 s").isLessThan(end);
      Thread.sleep(5);
    }
  }

  private Set<Long> marked() {
    try {
      Set<Long> pids = new java.util.HashSet<>();
      MarkedProcessFinder.withVariable("TEST_MARK", mark).forEach(id -> pids.add(id.pid()));
      return pids;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void shouldIdentifyAProcessUntilItEnds() throws Exception {
    Process process = start("sleep 100");
    ProcessIdentity identity = ProcessIdentity.of(process.pid()).orElseThrow();

    assertThat(identity.isAlive()).isTrue();
    assertThat(new ProcessIdentity(identity.pid(), identity.started() + "1").isAlive()).isFalse();
    assertThat(new ProcessIdentity(0, "").isAlive()).isFalse();
    assertThat(identity.awaitEnd(Duration.ofMillis(50))).isFalse();
    assertThat(identity.stop(ProcessSignal.TERM, Duration.ofSeconds(20))).isTrue();
    assertThat(identity.isAlive()).isFalse();
    assertThat(ProcessIdentity.of(process.pid())).isEmpty();
  }

  @Test
  void shouldReadTheWordsOfACommand() throws Exception {
    Process process = start("exec sleep 100");

    await(() -> ProcfsProcessReader.arguments(process.pid()).contains("sleep"));

    assertThat(ProcfsProcessReader.arguments(process.pid())).startsWith("sleep", "100");
    assertThat(ProcfsProcessReader.arguments(Long.MAX_VALUE)).isEmpty();
  }

  @Test
  void shouldKillAProcessThatIgnoresTheSignal() throws Exception {
    Process process = start("trap '' TERM; while :; do sleep 1; done");
    await(() -> marked().size() == 2);
    ProcessIdentity identity = ProcessIdentity.of(process.pid()).orElseThrow();

    assertThat(identity.stop(ProcessSignal.TERM, Duration.ofMillis(50))).isTrue();

    assertThat(identity.isAlive()).isFalse();
  }

  @Test
  void shouldTakeAZombieForDead() throws Exception {
    // The shell becomes a program that does not wait for its first child.
    Process parent = start("sleep 0 & exec sleep 100");

    await(
        () ->
            ProcessTreeSnapshot.take().children(parent.pid()).stream()
                .anyMatch(ProcessEntry::isDead));

    long zombie = ProcessTreeSnapshot.take().children(parent.pid()).getFirst().pid();
    assertThat(ProcfsProcessReader.isAlive(zombie)).isFalse();
    assertThat(ProcessIdentity.of(zombie)).isEmpty();
    assertThat(marked()).containsExactly(parent.pid());
  }

  @Test
  void shouldIndexOneScan() throws Exception {
    Process root = start("sh -c 'sleep 100 & wait' & setsid sleep 100 & wait");
    // The last one leaves the session some time after it was started.
    await(
        () -> {
          ProcessTreeSnapshot now = ProcessTreeSnapshot.take();
          return now.descendants(Set.of(root.pid())).size() == 3
              && now.session(root.pid()).size() == 3;
        });

    ProcessTreeSnapshot scan = ProcessTreeSnapshot.take();

    assertThat(scan.children(root.pid())).hasSize(2);
    assertThat(scan.session(root.pid())).as("without the one in its own session").hasSize(3);
    assertThat(scan.group(root.pid())).hasSize(3);
    assertThat(Objects.requireNonNull(scan.get(root.pid())).parent())
        .isEqualTo(ProcessHandle.current().pid());
    assertThat(scan.get(Long.MAX_VALUE)).isNull();
    assertThat(scan.all()).extracting(ProcessEntry::pid).contains(root.pid());
  }

  @Test
  void shouldKillWhatKilledProcessesHaveStarted() throws Exception {
    // Its children leave its session; some start between a scan and the kill.
    start("while :; do setsid sleep 100 & sleep 0.01; done");
    await(() -> marked().size() > 3);
    ProcessKiller killer = new ProcessKiller(this::marked);

    assertThat(killer.kill(Duration.ofSeconds(20))).isEmpty();

    assertThat(killer.killed()).isPositive();
    assertThat(marked()).isEmpty();
  }

  @Test
  void shouldGiveUpAtItsBound() throws Exception {
    Process ended = start("true");
    ended.waitFor();
    long began = System.nanoTime();

    Set<Long> left = new ProcessKiller(() -> Set.of(ended.pid())).kill(Duration.ofMillis(100));

    assertThat(left).containsExactly(ended.pid());
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void shouldReturnEarlyAndKeepTheInterrupt() throws Exception {
    Process process = start("sleep 100");
    Thread.currentThread().interrupt();

    Set<Long> left = new ProcessKiller(() -> Set.of(process.pid())).kill(Duration.ofSeconds(20));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(left).containsExactly(process.pid());
  }

  @Test
  void shouldFindProcessesByVariablesAndFolder(@TempDir Path folder) throws Exception {
    Process process = start("exec sleep 100", folder);
    await(
        () ->
            Objects.toString(ProcfsProcessReader.program(process.pid())).contains("sleep")
                || Objects.toString(ProcfsProcessReader.program(process.pid())).contains("box"));
    String program =
        Objects.requireNonNull(ProcfsProcessReader.program(process.pid())).getFileName().toString();

    assertThat(MarkedProcessFinder.withVariables(Set.of("TEST_MARK=" + mark, "TEST_OTHER=x")))
        .extracting(ProcessIdentity::pid)
        .containsExactly(process.pid());
    assertThat(MarkedProcessFinder.withVariables(Set.of("TEST_MARK=" + mark, "TEST_OTHER=y")))
        .isEmpty();
    assertThat(MarkedProcessFinder.withVariable("TEST_MARK", mark.substring(1))).isEmpty();
    assertThat(MarkedProcessFinder.withVariable("EST_MARK", mark)).isEmpty();
    assertThat(ProcfsProcessReader.environment(process.pid(), "TEST_"))
        .isEqualTo(Map.of("TEST_MARK", mark, "TEST_OTHER", "x"));
    await(() -> folder.equals(ProcfsProcessReader.directory(process.pid())));
    assertThat(MarkedProcessFinder.workingIn(program, folder))
        .extracting(ProcessIdentity::pid)
        .contains(process.pid());
    assertThat(MarkedProcessFinder.workingIn("other", folder)).isEmpty();
    MarkedProcessFinder.stop(
        MarkedProcessFinder.withVariable("TEST_MARK", mark), Duration.ofSeconds(20));
    assertThat(marked()).isEmpty();
  }

  @Test
  void shouldFindAProcessInTheMiddleOfAnExec(@TempDir Path folder) throws Exception {
    Path script = Files.writeString(folder.resolve("again"), "exec sh \"$0\"");
    Process process = start("exec sh " + script);
    await(() -> marked().contains(process.pid()));

    Set<String> marks = Set.of("TEST_MARK=" + mark);
    for (int read = 0; read < 20_000; read++) {
      assertThat(ProcfsProcessReader.hasVariables(process.pid(), marks))
          .as("read %d", read)
          .isTrue();
    }
  }

  @Test
  void shouldNotFindAProcessWithoutVariables() throws Exception {
    Process process = start("exec env -i sleep 100");
    await(() -> ProcfsProcessReader.arguments(process.pid()).equals(List.of("sleep", "100")));

    assertThat(ProcfsProcessReader.environment(process.pid(), "")).isEmpty();
    assertThat(marked()).doesNotContain(process.pid());
  }

  @Test
  void shouldStopAndResumeAProcess() throws Exception {
    Process process = start("exec sleep 100");

    assertThat(ProcessSignal.STOP.send(process.pid())).isTrue();
    await(() -> isStopped(process));
    assertThat(ProcessSignal.CONT.send(process.pid())).isTrue();
    await(() -> !isStopped(process));

    process.destroyForcibly().waitFor();
    assertThat(ProcessSignal.INT.send(process.pid())).isFalse();
    assertThat(isStopped(process)).isTrue();
  }

  private static boolean isStopped(Process process) {
    return ProcfsProcessReader.entry(process.pid()).map(ProcessEntry::isStopped).orElse(true);
  }

  @Test
  void shouldCompareRecordedStartTimes() throws Exception {
    Process process = start("sleep 100");
    long start = ProcessStartTime.of(process.toHandle());

    assertThat(ProcessStartTime.alive(process.pid(), start + 1_900)).isPresent();
    assertThat(ProcessStartTime.alive(process.pid(), start - 2_100)).isEmpty();
    process.destroyForcibly().waitFor();
    assertThat(ProcessStartTime.alive(process.pid(), start)).isEmpty();
  }

  @Test
  void shouldReadTheProcessorTimeOfNamedThreads() throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    Thread computing =
        Thread.ofPlatform()
            .daemon()
            .name("ticks-of-threads")
            .start(
                () -> {
                  while (end.getCount() > 0) {
                    Thread.onSpinWait();
                  }
                });

    await(() -> ProcfsProcessReader.threadTicks("ticks-of-").orElse(0) > 5);
    end.countDown();
    computing.join();

    await(() -> ProcfsProcessReader.threadTicks("ticks-of-").isEmpty());
  }
}
