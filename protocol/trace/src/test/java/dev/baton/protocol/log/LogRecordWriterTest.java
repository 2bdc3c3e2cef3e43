/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.log;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LogRecordWriterTest {
  @Test
  void shouldGiveBackWhatWasWrittenUpToTheLastWholeRecord() {
    long seed = Long.getLong("baton.seed", System.nanoTime());
    Random random = new Random(seed);
    LogRecordWriter writer = new LogRecordWriter();
    List<LogRecord> written = new ArrayList<>();
    List<Integer> ends = new ArrayList<>();
    writer.define(0, new LogAttempt("a", 1, 1));
    writer.define(1, new LogAttempt("b/0/c", 2, 3));
    for (int i = 0; i < 500; i++) {
      if (i % 100 == 0) {
        writer.frame();
      }
      LogRecord record = random(random);
      written.add(record);
      if (record.stream() == LogStream.BATON) {
        writer.notice(record.attempt(), record.micros(), record.bytes(), record.missing());
      } else {
        writer.line(
            record.attempt(),
            record.stream(),
            record.micros(),
            record.cut(),
            record.bytes(),
            record.bytes().length);
      }
      ends.add(writer.size());
    }

    for (int size : new int[] {writer.size(), random.nextInt(writer.size()), ends.get(7) - 1}) {
      LogRecordReader reader = new LogRecordReader(writer.buffer(), 0, size);
      int whole = (int) ends.stream().filter(end -> end <= size).count();
      for (int i = 0; i < whole; i++) {
        assertThat(reader.next())
            .as("record %d, seed %d", i, seed)
            .usingRecursiveComparison()
            .isEqualTo(written.get(i));
        assertThat(reader.frameBegan()).isEqualTo(i % 100 == 0);
      }
      assertThat(reader.next()).as("seed %d", seed).isNull();
    }
    LogRecordReader all = new LogRecordReader(writer.buffer(), 0, writer.size());
    while (all.next() != null) {
      // Reads to the end.
    }
    assertThat(all.attempts())
        .containsExactly(new LogAttempt("a", 1, 1), new LogAttempt("b/0/c", 2, 3));
  }

  private static LogRecord random(Random random) {
    LogStream stream = LogStream.values()[random.nextInt(3)];
    byte[] text = new byte[random.nextInt(10) == 0 ? LogRecord.MAX_BYTES : random.nextInt(80)];
    random.nextBytes(text);
    boolean notice = stream == LogStream.BATON;
    return new LogRecord(
        random.nextInt(2),
        stream,
        random.nextInt(20) == 0 ? random.nextLong(Long.MAX_VALUE / 4) : 1_700_000_000_000_000L,
        !notice && random.nextBoolean(),
        notice ? "gone".getBytes(UTF_8) : text,
        notice
            ? new LogRecord.Missing(random.nextInt(1000), random.nextLong(1L << 40))
            : LogRecord.Missing.NOTHING);
  }
}
