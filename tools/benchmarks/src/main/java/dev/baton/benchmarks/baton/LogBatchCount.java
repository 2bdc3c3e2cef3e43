/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import dev.baton.protocol.topic.TopicName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Counts the batches in the trace's segments. A topic with {@code flush.messages=1} is flushed
 * after every append, and an append is one batch, so this is the number of flushes of the trace.
 *
 * @param batches appended so far
 * @param records in them
 */
record LogBatchCount(long batches, long records) {
  // Header of a record batch: base offset (8 bytes), length of the rest (4), …, record count.
  private static final int LENGTH_AT = 8;
  private static final int BEHIND_LENGTH = 12;
  private static final int COUNT_AT = 57;
  private static final int HEADER = 61;

  /**
   * Reads the headers of all batches.
   *
   * @param kafkaData the broker's data folder
   */
  static LogBatchCount ofTrace(Path kafkaData) throws IOException {
    LogBatchCount sum = new LogBatchCount(0, 0);
    try (DirectoryStream<Path> partitions =
        Files.newDirectoryStream(kafkaData, TopicName.TRACE + "-[0-9]*")) {
      for (Path partition : partitions) {
        try (DirectoryStream<Path> segments = Files.newDirectoryStream(partition, "*.log")) {
          for (Path segment : segments) {
            sum = sum.plus(ofSegment(segment));
          }
        }
      }
    }
    return sum;
  }

  static LogBatchCount ofSegment(Path segment) throws IOException {
    long batches = 0;
    long records = 0;
    ByteBuffer header = ByteBuffer.allocate(HEADER);
    try (FileChannel file = FileChannel.open(segment)) {
      long position = 0;
      while (file.read(header.clear(), position) == HEADER) {
        int length = header.getInt(LENGTH_AT);
        if (length < HEADER - BEHIND_LENGTH) {
          // The rest of a preallocated segment.
          break;
        }
        batches++;
        records += header.getInt(COUNT_AT);
        position += BEHIND_LENGTH + length;
      }
    }
    return new LogBatchCount(batches, records);
  }

  private LogBatchCount plus(LogBatchCount other) {
    return new LogBatchCount(batches + other.batches, records + other.records);
  }
}
