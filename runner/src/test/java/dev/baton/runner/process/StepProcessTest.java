/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.runner.lease.RunLease;
import dev.baton.runner.logs.LogFixture;
import dev.baton.runner.logs.StepLog;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StepProcessTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final MockProducer<String, byte[]> producer =
      new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
  private final LogFixture logs = LogFixture.of(producer);
  private final StepLog log = logs.open("run", 1).step("step", 1, 1);
  private final String mark = "BATON_RUN_ID=" + UUID.randomUUID();

  private final AtomicLong clock = new AtomicLong();
  private final RunLease hold =
      new RunLease(Duration.ofSeconds(1), Duration.ofSeconds(3), clock::get, () -> {});

  private Thread thread = Thread.currentThread();

  @TempDir Path directory;

  @AfterEach
  void close() {
    logs.close();
  }

  private StepProcess command(String script) {
    String[] pair = mark.split("=", 2);
    return new StepProcess(
        List.of("/bin/sh", "-e", "-c", script),
        directory,
        Map.of("PATH", "/usr/bin:/bin", pair[0], pair[1]),
        Set.of(mark),
        1_000,
        WorkspaceMount.NONE,
        Optional.empty());
  }

  private StepProcessResult.Exited exited(String script) throws Exception {
    StepProcessResult ended = command(script).run(hold, log, LONG);
    assertThat(ended).isInstanceOf(StepProcessResult.Exited.class);
    return (StepProcessResult.Exited) ended;
  }

  @ParameterizedTest
  @CsvSource({"exit 0,0", "exit 3,3", "kill -9 $$,137", "kill -TERM $$,143", "false,1"})
  void shouldKeepExitCodes(String script, int code) throws Exception {
    assertThat(exited(script).exitCode()).isEqualTo(code);
  }

  @Test
  void shouldHaveNothingOnStandardInput() throws Exception {
    assertThat(exited("cat; echo end").stdout()).asString().isEqualTo("end\n");
  }

  @Test
  void shouldLeadASessionOfItsOwn() throws Exception {
    String fields =
        new String(exited("cut -d' ' -f1,6 /proc/$$/stat").stdout(), StandardCharsets.UTF_8);
    String[] pidAndSession = fields.strip().split(" ");
    assertThat(pidAndSession[0]).isEqualTo(pidAndSession[1]);
  }

  @Test
  void shouldStopTheWholeGroupWhenTimeIsUp() throws Exception {
    long began = System.nanoTime();

    StepProcessResult ended =
        command("sleep 300 & sleep 301 & wait").run(hold, log, Duration.ofMillis(200));

    assertThat(ended).isInstanceOf(StepProcessResult.TimedOut.class);
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(60));
    assertNobodyIsLeft();
  }

  @Test
  void shouldKillWhatIgnoresSigterm() throws Exception {
    StepProcessResult ended =
        command("trap '' TERM; while true; do sleep 0.1; done")
            .run(hold, log, Duration.ofMillis(200));

    assertThat(ended).isInstanceOf(StepProcessResult.TimedOut.class);
    assertNobodyIsLeft();
  }

  @Test
  void shouldKillBackgroundProcessesOfAFinishedStep() throws Exception {
    StepProcessResult.Exited ended =
        exited("sleep 300 & setsid sleep 301 > /dev/null 2>&1 & sleep 0.2; echo done");

    assertThat(ended.stdout()).asString().isEqualTo("done\n");
    assertThat(ended.leftovers()).isEqualTo(2);
    assertNobodyIsLeft();
  }

  @Test
  void shouldKillEverythingWhenInterrupted() throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread thread =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    command("touch up; sleep 300 & sleep 301").run(hold, log, null);
                  } catch (Exception e) {
                    thrown.set(e);
                  }
                });
    while (!Files.exists(directory.resolve("up"))) {
      TimeUnit.MILLISECONDS.sleep(10);
    }

    thread.interrupt();
    thread.join();

    assertThat(thrown.get()).isInstanceOf(InterruptedException.class);
    assertNobodyIsLeft();
  }

  @Test
  void shouldStopEverythingWhileTheRunIsSuspendedAndGoOnWhereItWas() throws Exception {
    // One of them leaves the session, one starts others all the time.
    CompletableFuture<StepProcessResult> ended =
        running(
            """
            count() { while [ ! -e end ]; do echo x >> "$1"; sleep 0.01; done; }
            count a & (count b) &
            setsid /bin/sh -c 'while [ ! -e end ]; do echo x >> c; sleep 0.01; done' &
            count d
            wait
            """);
    awaitGrowth(0);

    clock.addAndGet(TimeUnit.SECONDS.toNanos(2));
    hold.look();

    // A shell that has just called vfork waits in state D for its child, which is stopped.
    assertThat(states())
        .hasSizeGreaterThanOrEqualTo(4)
        .contains('T')
        .allMatch(state -> state == 'T' || state == 'D');
    long written = written();
    TimeUnit.MILLISECONDS.sleep(300);
    assertThat(written()).isEqualTo(written);
    assertThat(ended).isNotDone();
    hold.acknowledged(clock.get());
    assertThat(hold.confirmed(1)).isTrue();
    awaitGrowth(written);
    Files.createFile(directory.resolve("end"));
    assertThat(ended.get(30, TimeUnit.SECONDS)).isInstanceOf(StepProcessResult.Exited.class);
    assertNobodyIsLeft();
  }

  @Test
  void shouldKillWhatIsStopped() throws Exception {
    CompletableFuture<StepProcessResult> ended =
        running("while true; do echo x >> a; sleep 0.01; done");
    awaitGrowth(0);
    clock.addAndGet(TimeUnit.SECONDS.toNanos(2));
    hold.look();

    thread.interrupt();

    assertThatThrownBy(() -> ended.get(30, TimeUnit.SECONDS))
        .hasCauseInstanceOf(InterruptedException.class);
    assertNobodyIsLeft();
  }

  private CompletableFuture<StepProcessResult> running(String script) {
    CompletableFuture<StepProcessResult> ended = new CompletableFuture<>();
    thread =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    ended.complete(command(script).run(hold, log, null));
                  } catch (Exception e) {
                    ended.completeExceptionally(e);
                  }
                });
    return ended;
  }

  private long written() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      long sum = 0;
      for (Path file : files.toList()) {
        sum += Files.size(file);
      }
      return sum;
    }
  }

  private void awaitGrowth(long from) throws Exception {
    long end = System.nanoTime() + LONG.toNanos();
    while (written() < from + 20) {
      assertThat(System.nanoTime()).isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }

  /** Returns the states of all processes of the command, as the kernel reports them. */
  private List<Character> states() {
    return ProcessHandle.allProcesses()
        .filter(process -> isOurs(process.pid()))
        .map(process -> state(process.pid()))
        .filter(state -> state != 'Z')
        .toList();
  }

  private boolean isOurs(long pid) {
    try {
      return Files.readString(Path.of("/proc/" + pid + "/environ")).contains(mark);
    } catch (IOException gone) {
      return false;
    }
  }

  private static char state(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2);
    } catch (IOException gone) {
      return 'Z';
    }
  }

  @Test
  void shouldKeepNoMoreOutputThanTheLimitAndSaySo() throws Exception {
    StepProcessResult.Exited ended = exited("head -c 5000 /dev/zero");

    assertThat(ended.stdout()).hasSize(1_000);
    assertThat(ended.stdoutOver()).isTrue();
    assertThat(log.tail().bytes()).isEqualTo(5_000);
  }

  @Test
  void shouldShipLinesOfBothStreams() throws Exception {
    exited("echo out; echo err >&2; printf unfinished");

    logs.drain(LONG);

    assertThat(producer.history())
        .extracting(r -> new String(r.value(), StandardCharsets.UTF_8))
        .anyMatch(json -> json.contains("\"stdout\"") && json.contains("\"text\":\"out\""))
        .anyMatch(json -> json.contains("\"stderr\"") && json.contains("\"text\":\"err\""))
        .anyMatch(json -> json.contains("\"text\":\"unfinished\""));
    assertThat(log.tail().tail()).contains("out\n").contains("err\n");
  }

  @Test
  void shouldSayWhatCannotBeStarted() {
    StepProcess nothing =
        new StepProcess(
            List.of("/no/such/program"),
            directory.resolve("gone"),
            Map.of(),
            Set.of(),
            0,
            WorkspaceMount.NONE,
            Optional.empty());

    assertThatThrownBy(() -> nothing.run(hold, log, LONG)).hasMessageContaining("gone");
  }

  private void assertNobodyIsLeft() {
    assertThat(ProcessHandle.allProcesses())
        .noneMatch(
            p -> {
              try {
                return p.isAlive()
                    && Files.readString(Path.of("/proc/" + p.pid() + "/environ")).contains(mark);
              } catch (java.io.IOException gone) {
                return false;
              }
            });
  }
}
