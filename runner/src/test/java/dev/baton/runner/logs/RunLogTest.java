/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.log.LogIndex;
import dev.baton.protocol.log.LogRecord;
import dev.baton.protocol.log.LogStream;
import dev.baton.protocol.trace.LogTail;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.StoredLogs;
import dev.baton.runner.testkit.TestRun;
import dev.baton.runner.testkit.TestRunner;
import dev.baton.runner.testkit.TestRunnerProcess;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Logs of what steps print: real processes, a real S3 server and a real Kafka. */
@ExtendWith(RunnerTestEnvironment.Extension.class)
class RunLogTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  private final RunnerTestEnvironment services;
  private final String run = RunId.next();

  @TempDir Path folder;

  RunLogTest(RunnerTestEnvironment services) {
    this.services = services;
  }

  private static Producer<String, byte[]> nowhere() {
    return new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());
  }

  private static void write(StepLog.Stream out, String text) {
    byte[] bytes = text.getBytes(UTF_8);
    out.write(bytes, bytes.length);
  }

  private List<String> texts() throws Exception {
    return services.store.logs.lines(run).stream().map(StoredLogs.Line::text).toList();
  }

  @Test
  void shouldKeepEveryLineOfABurst() throws Exception {
    int lines = Integer.getInteger("baton.log.lines", 200_000);
    try (TestRunner runner = new TestRunner(services, Map.of())) {
      services.gateway.awaitHello(runner.id);
      TestRun burst =
          new TestRun(
                  services,
                  "{name: b, steps: [{id: s, output: none, shell: 'seq %d; echo end >&2'}]}"
                      .formatted(lines),
                  "{}")
              .start(runner.id);
      burst.awaitEnd();
      List<LogIndex> chunks = services.store.logs.awaitLast(burst.id, 1);

      assertThat(chunks.stream().mapToLong(LogIndex::lines).sum()).isEqualTo(lines + 1L);
      List<String> out =
          services.store.logs.lines(burst.id).stream()
              .filter(line -> line.record().stream() == LogStream.STDOUT)
              .map(StoredLogs.Line::text)
              .toList();
      assertThat(out)
          .isEqualTo(IntStream.rangeClosed(1, lines).mapToObj(Integer::toString).toList());
      LogTail tail = burst.events(TraceEvent.StepCompleted.class).getFirst().log();
      assertThat(tail).isNotNull();
      assertThat(tail.lines()).isEqualTo(lines + 1L);
      assertThat(tail.missingLines()).isZero();
      assertThat(runner.data.resolve("logs").resolve(burst.id)).doesNotExist();
    }
  }

  @Test
  void shouldWaitForNothingWhileTheBrokersAndTheStoreAreAwayAndLoseNothing() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    services.store.away = true;
    LogFixture logs = new LogFixture(() -> blocked(never), services.url(), LogSettings.of(folder));
    try {
      RunLog log = logs.open(run, 1);
      StepLog.Stream out = log.step("s", 1, 1).stream("stdout");
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < 100_000; i++) {
        text.append("line ").append(i).append('\n');
      }
      long began = System.nanoTime();
      write(out, text.toString());
      out.end();
      log.end();
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
      services.store.away = false;
      services.store.logs.awaitLast(run, 1);

      assertThat(texts()).isEqualTo(LogFixture.numbered(0, 100_000));
    } finally {
      services.store.away = false;
      never.countDown();
      logs.close();
    }
  }

  private static Producer<String, byte[]> blocked(CountDownLatch until) {
    try {
      until.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return nowhere();
  }

  @Test
  void shouldSayExactlyWhatIsMissingOnceTheSpoolIsFull() throws Exception {
    services.store.away = true;
    try (LogFixture logs =
        new LogFixture(
            RunLogTest::nowhere,
            services.url(),
            new LogSettings(folder, 1 << 20, LogSettings.DEFAULT_ATTEMPT_BYTES))) {
      RunLog log = logs.open(run, 1);
      StepLog step = log.step("s", 1, 1);
      StepLog.Stream out = step.stream("stdout");
      String line = "x".repeat(99) + "\n";
      write(out, line.repeat(20_000));
      StepLog other = log.step("other", 2, 3);
      StepLog.Stream err = other.stream("stderr");
      write(err, line.repeat(2)); // Shorter lines might still fit.
      services.store.away = false;
      services.store.logs.await(run, all -> all.stream().anyMatch(index -> index.lines() > 0));
      long before = step.tail().lines();
      int after = 0;
      while (step.tail().lines() == before) {
        write(out, "after\n"); // The room may be free only a moment after the acknowledgement.
        after++;
      }
      out.end();
      err.end();
      log.end();
      services.store.logs.awaitLast(run, 1);

      List<StoredLogs.Line> lines = services.store.logs.lines(run);
      long kept = lines.stream().filter(each -> each.text().equals(line.stripTrailing())).count();
      LogTail tail = step.tail();
      assertThat(kept).isBetween(8_000L, 12_000L);
      long refused = after - 1;
      long missing = 20_000 - kept + refused;
      long missingBytes = (20_000 - kept) * 99 + refused * 5;
      assertThat(tail.missingLines()).isEqualTo(missing);
      assertThat(tail.missingBytes()).isEqualTo(missingBytes);
      assertThat(tail.lines()).isEqualTo(kept + 1);
      assertThat(lines.stream().map(StoredLogs.Line::text)).contains("after");
      assertThat(
              lines.stream()
                  .map(StoredLogs.Line::record)
                  .filter(record -> record.stream() == LogStream.BATON)
                  .map(LogRecord::missing))
          .containsExactlyInAnyOrder(
              new LogRecord.Missing(missing, missingBytes), new LogRecord.Missing(2, 198));
      assertThat(
              lines.stream()
                  .map(StoredLogs.Line::text)
                  .filter(text -> text.contains("missing here")))
          .first()
          .asString()
          .contains("baton.logs.spool.max");
    } finally {
      services.store.away = false;
    }
  }

  @Test
  void shouldCountWhatComesAfterAnAttemptsBound() throws Exception {
    try (LogFixture logs =
        new LogFixture(
            RunLogTest::nowhere, services.url(), new LogSettings(folder, 1L << 30, 1_000))) {
      RunLog log = logs.open(run, 1);
      StepLog step = log.step("s", 1, 1);
      StepLog.Stream out = step.stream("stdout");
      write(out, "0123456789\n".repeat(150));
      out.end();
      StepLog.Stream next = log.step("s", 1, 2).stream("stdout");
      write(next, "fits\n");
      next.end();
      log.end();
      services.store.logs.awaitLast(run, 1);

      assertThat(step.tail().missingLines()).isEqualTo(50);
      assertThat(step.tail().missingBytes()).isEqualTo(500);
      assertThat(texts()).hasSize(102).last().isEqualTo("fits");
      assertThat(texts().get(100)).contains("50 lines (500 bytes)", "baton.logs.max");
    }
  }

  @Test
  void shouldKeepAllThatWasAcknowledgedOfAKilledRunnerAndTheRestWhereItsDiskIs() throws Exception {
    Path data = services.data().resolve("killed-" + run);
    TestRun killed =
        new TestRun(
            services,
            "{name: k, steps: [{id: s, output: none, shell: 'if [ -f \"%s\" ]; then echo again; else seq 200000; sleep 1.5; seq 200001 200100; touch \"%s\"; sleep 100; fi'}]}"
                .formatted(folder.resolve("marker"), folder.resolve("marker")),
            "{}");
    killed.nextEpoch();
    long acknowledged;
    try (TestRunnerProcess first = new TestRunnerProcess(services, killed, data)) {
      services.gateway.awaitHello(first.id);
      services.gateway.assign(first.id, killed.assign());
      services.store.logs.await(killed.id, all -> !all.isEmpty());
      // The runner has read them from the step's pipe: what is in the pipe dies with the runner.
      while (!hasTaken("200100", killed, data)) {
        Thread.onSpinWait();
      }
      first.kill();
      acknowledged =
          services.store.logs.indexes(killed.id).stream().mapToLong(LogIndex::lines).sum();
    }
    assertThat(acknowledged).isPositive();
    assertThat(numbers(killed))
        .isEqualTo(IntStream.rangeClosed(1, (int) acknowledged).boxed().toList());

    killed.nextEpoch();
    try (TestRunnerProcess sameDisk = new TestRunnerProcess(services, killed, data)) {
      services.gateway.awaitHello(sameDisk.id);
      services.gateway.assign(sameDisk.id, killed.assign());
      List<LogIndex> chunks = services.store.logs.awaitLast(killed.id, 1);
      assertThat(chunks).isNotEmpty();
      assertThat(numbers(killed))
          .hasSize(200_100)
          .isEqualTo(IntStream.rangeClosed(1, 200_100).boxed().toList());
    }
  }

  /** Whether the step has ended its lines and the last of them is in the spool or in the store. */
  private boolean hasTaken(String lastLine, TestRun of, Path data) throws Exception {
    if (!Files.exists(folder.resolve("marker"))) {
      return false;
    }
    Path logs = data.resolve("logs");
    if (Files.exists(logs)) {
      List<Path> files;
      try (Stream<Path> found = Files.walk(logs)) {
        files = found.filter(file -> file.toString().endsWith(".log")).toList();
      } catch (UncheckedIOException e) {
        return false; // A file was uploaded while the folder was listed.
      }
      for (Path file : files) {
        try {
          if (Files.readString(file, ISO_8859_1).contains(lastLine)) {
            return true;
          }
        } catch (NoSuchFileException e) {
          continue; // It was uploaded since the folder was listed.
        }
      }
    }
    return services.store.logs.lines(of.id).stream().anyMatch(line -> line.text().equals(lastLine));
  }

  private List<Integer> numbers(TestRun of) throws Exception {
    return services.store.logs.lines(of.id).stream()
        .filter(line -> line.epoch() == 1)
        .map(line -> Integer.valueOf(line.text()))
        .toList();
  }

  @Test
  void shouldNotFailAStepForOutputThatNothingReads() throws Exception {
    try (TestRunner runner = new TestRunner(services, Map.of())) {
      services.gateway.awaitHello(runner.id);
      String much = "shell: 'head -c 9000000 /dev/zero | tr \"\\0\" x | fold -w 1000'";
      TestRun unread =
          new TestRun(
                  services,
                  "{name: m, steps: [{id: s, " + much + "}, {id: t, transform: '1'}]}",
                  "{}")
              .start(runner.id);
      assertThat(unread.awaitOutput().asInt()).isEqualTo(1);
      services.store.logs.awaitLast(unread.id, 1);
      assertThat(services.store.logs.lines(unread.id).getLast().text()).contains("truncated");

      TestRun read =
          new TestRun(
                  services,
                  "{name: r, steps: [{id: s, "
                      + much
                      + "}, {id: t, transform: '.steps.s.output | length'}]}",
                  "{}")
              .start(runner.id);
      assertThat(read.awaitFailure().error().code()).isEqualTo("output_invalid");
    }
  }
}
