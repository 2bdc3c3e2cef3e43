/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.runner.logs.LogShipper;
import dev.baton.runner.logs.StepLog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CommandTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final MockProducer<String, byte[]> producer =
      new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
  private final LogShipper logs = new LogShipper("r", () -> producer);
  private final StepLog log = new StepLog(logs, "run", 1, "step", 1);
  private final String mark = "BATON_RUN_ID=" + UUID.randomUUID();

  @TempDir Path directory;

  @AfterEach
  void close() {
    logs.close();
  }

  private Command command(String script) {
    String[] pair = mark.split("=", 2);
    return new Command(
        List.of("/bin/sh", "-e", "-c", script),
        directory,
        Map.of("PATH", "/usr/bin:/bin", pair[0], pair[1]),
        Set.of(mark),
        1_000);
  }

  private Ended.Exited exited(String script) throws Exception {
    Ended ended = command(script).run(log, LONG);
    assertThat(ended).isInstanceOf(Ended.Exited.class);
    return (Ended.Exited) ended;
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

    Ended ended = command("sleep 300 & sleep 301 & wait").run(log, Duration.ofMillis(200));

    assertThat(ended).isInstanceOf(Ended.TimedOut.class);
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(4));
    assertNobodyIsLeft();
  }

  @Test
  void shouldKillWhatIgnoresSigterm() throws Exception {
    Ended ended =
        command("trap '' TERM; while true; do sleep 0.1; done").run(log, Duration.ofMillis(200));

    assertThat(ended).isInstanceOf(Ended.TimedOut.class);
    assertNobodyIsLeft();
  }

  @Test
  void shouldKillBackgroundProcessesOfAFinishedStep() throws Exception {
    Ended.Exited ended =
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
                    command("touch up; sleep 300 & sleep 301").run(log, null);
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
  void shouldKeepNoMoreOutputThanTheLimitAndSaySo() throws Exception {
    Ended.Exited ended = exited("head -c 5000 /dev/zero");

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
    Command nothing =
        new Command(List.of("/no/such/program"), directory.resolve("gone"), Map.of(), Set.of(), 0);

    assertThatThrownBy(() -> nothing.run(log, LONG)).hasMessageContaining("gone");
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
