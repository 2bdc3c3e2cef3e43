/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
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

  private static LogLine line(String text) {
    return new LogLine("run", 1, "step", 1, "stdout", Instant.EPOCH, text);
  }

  @Test
  void shouldNeverBlockAndSayHowManyLinesWereDropped() throws Exception {
    CountDownLatch brokersAreBack = new CountDownLatch(1);
    String long16k = "x".repeat(LogLine.MAX_BYTES);
    try (LogShipper shipper =
        new LogShipper(
            "r",
            () -> {
              awaitUninterrupted(brokersAreBack);
              return producer;
            })) {
      for (int i = 0; i < 600; i++) {
        shipper.ship(line(long16k));
      }
      brokersAreBack.countDown();
      shipper.drain(Duration.ofSeconds(10));
      shipper.ship(line("after"));
      shipper.drain(Duration.ofSeconds(10));
    }

    List<String> sent =
        producer.history().stream()
            .map(r -> new String(r.value(), StandardCharsets.UTF_8))
            .toList();
    assertThat(sent).hasSize(512 + 2);
    assertThat(sent.get(512)).contains("88 lines were dropped here").contains("\"baton\"");
    assertThat(sent.get(513)).contains("after");
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
    LineSplitter splitter = new LineSplitter(lines::add);
    String euros = "€".repeat(10_000);

    byte[] bytes = ("a\r\n\nb\n" + euros + "\nend").getBytes(StandardCharsets.UTF_8);
    splitter.accept(bytes, bytes.length);
    splitter.end();

    assertThat(lines.subList(0, 3)).containsExactly("a", "", "b");
    assertThat(String.join("", lines.subList(3, lines.size() - 1))).isEqualTo(euros);
    assertThat(lines)
        .allMatch(line -> line.getBytes(StandardCharsets.UTF_8).length <= LogLine.MAX_BYTES);
    assertThat(lines.getLast()).isEqualTo("end");
  }

  @Test
  void shouldKeepTheTailAndTheDigestOfEverything() {
    StepLog log = new StepLog(new LogShipper("r", () -> producer), "run", 1, "step", 1);
    StepLog.Stream out = log.stream("stdout");
    byte[] chunk = "0123456789".repeat(1_000).getBytes(StandardCharsets.UTF_8);
    out.write(chunk, chunk.length);
    out.write("tail".getBytes(StandardCharsets.UTF_8), 4);

    assertThat(log.tail().bytes()).isEqualTo(10_004);
    assertThat(log.tail().tail()).hasSize(StepLog.TAIL_BYTES).endsWith("6789tail");
    assertThat(log.tail().digest())
        .isEqualTo(
            dev.baton.protocol.trace.Digest.of(
                ("0123456789".repeat(1_000) + "tail").getBytes(StandardCharsets.UTF_8)));
  }
}
