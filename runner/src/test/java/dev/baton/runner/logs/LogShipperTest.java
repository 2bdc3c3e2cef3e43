/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.digest.Digest;
import dev.baton.protocol.log.LogRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class LogShipperTest {
  private final MockProducer<String, byte[]> producer =
      new MockProducer<>(true, null, new StringSerializer(), new ByteArraySerializer());

  private static LiveLogLine line(String text) {
    return new LiveLogLine(
        "run", 1, "step", 1, 1, "stdout", Instant.EPOCH, text, 1, null, null, null, null, null);
  }

  @Test
  void shouldNeverBlockAndSayExactlyHowMuchWasPassedOver() throws Exception {
    CountDownLatch brokersAreBack = new CountDownLatch(1);
    String long16k = "x".repeat(LogRecord.MAX_BYTES);
    SkippedLineCounter passed = new SkippedLineCounter();
    int sent = 0;
    try (LogShipper shipper =
        new LogShipper(
            "r",
            () -> {
              awaitUninterrupted(brokersAreBack);
              return producer;
            })) {
      for (int i = 0; i < 600; i++) {
        if (shipper.hasRoom(long16k.length(), passed)) {
          shipper.ship(line(long16k), long16k.length(), passed);
          sent++;
        }
      }
      brokersAreBack.countDown();
      shipper.drain(Duration.ofSeconds(10));
      assertThat(shipper.hasRoom(5, passed)).isTrue();
      shipper.ship(line("after"), 5, passed);
      shipper.drain(Duration.ofSeconds(10));
    }

    List<String> texts =
        producer.history().stream().map(r -> new String(r.value(), UTF_8)).toList();
    assertThat(sent).isBetween(400, 599);
    assertThat(texts).hasSize(sent + 1);
    assertThat(texts.getLast())
        .contains("\"after\"")
        .contains("\"passed_lines\":" + (600 - sent) + ",")
        .contains("\"passed_bytes\":" + (600 - sent) * 16_384);
    assertThat(texts.getFirst()).doesNotContain("passed_lines");
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void shouldCutLinesAtLineEndsAndLongOnesBetweenCharacters() {
    List<String> lines = new ArrayList<>();
    List<Boolean> cuts = new ArrayList<>();
    LineSplitter splitter =
        new LineSplitter(
            (text, length, cut) -> {
              assertThat(length).isLessThanOrEqualTo(LogRecord.MAX_BYTES);
              lines.add(new String(text, 0, length, UTF_8));
              cuts.add(cut);
            });
    String euros = "€".repeat(10_000);

    byte[] bytes = ("a\r\n\nb\n" + euros + "\nend").getBytes(UTF_8);
    splitter.accept(bytes, bytes.length);
    splitter.end();

    assertThat(lines.subList(0, 3)).containsExactly("a", "", "b");
    assertThat(String.join("", lines.subList(3, lines.size() - 1))).isEqualTo(euros);
    assertThat(lines.getLast()).isEqualTo("end");
    assertThat(cuts).containsExactly(false, false, false, true, false, false);
  }

  @Test
  void shouldKeepTheTailTheDigestAndTheCountsOfEverything() {
    try (LogFixture logs = LogFixture.of(producer)) {
      StepLog log = logs.open("run", 1).step("step", 1, 1);
      StepLog.Stream out = log.stream("stdout");
      byte[] chunk = "012345678\n".repeat(1_000).getBytes(UTF_8);
      out.write(chunk, chunk.length);
      out.write("tail".getBytes(UTF_8), 4);
      out.end();

      assertThat(log.tail().bytes()).isEqualTo(10_004);
      assertThat(log.tail().lines()).isEqualTo(1_001);
      assertThat(log.tail().missingLines()).isZero();
      assertThat(log.tail().tail()).hasSize(StepLog.TAIL_BYTES).endsWith("678\ntail");
      assertThat(log.tail().digest())
          .isEqualTo(Digest.of(("012345678\n".repeat(1_000) + "tail").getBytes(UTF_8)));
    }
  }
}
