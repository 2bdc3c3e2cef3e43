/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.logs;

import dev.baton.protocol.log.LogAttempt;
import dev.baton.protocol.log.LogIndex;
import dev.baton.protocol.log.LogRecord;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Builds the index of a chunk line by line. For one thread at a time. */
final class LogIndexBuilder {
  /** Bytes of records after which a new frame begins. */
  static final int FRAME_BYTES = 1 << 20;

  /** An uncompressed frame that starts at this byte of the records. */
  private static final class Part {
    final int offset;
    final long firstLine;
    final long firstMicros;
    long lines;
    long lastMicros;

    Part(int offset, long firstLine, long firstMicros) {
      this.offset = offset;
      this.firstLine = firstLine;
      this.firstMicros = firstMicros;
    }
  }

  private static final class Count {
    long lines;
    long bytes;
  }

  private final String run;
  private final int epoch;
  private final long firstLine;
  private final Map<LogAttempt, Integer> attempts = new HashMap<>();
  private final List<LogAttempt> order = new ArrayList<>();
  private final List<Count> counts = new ArrayList<>();
  private final List<Part> parts = new ArrayList<>();
  private long lines;
  private long bytes;
  private long missingLines;
  private long missingBytes;

  LogIndexBuilder(String run, int epoch, long firstLine) {
    this.run = run;
    this.epoch = epoch;
    this.firstLine = firstLine;
  }

  int epoch() {
    return epoch;
  }

  long firstLine() {
    return firstLine;
  }

  long lines() {
    return lines;
  }

  int attemptCount() {
    return order.size();
  }

  /** Returns the attempt's index; -1 if it has none yet. */
  int indexOf(LogAttempt attempt) {
    Integer index = attempts.get(attempt);
    return index == null ? -1 : index;
  }

  int define(LogAttempt attempt) {
    attempts.put(attempt, order.size());
    order.add(attempt);
    counts.add(new Count());
    return order.size() - 1;
  }

  /** Whether the next line, at this byte of the records, begins a frame. */
  boolean isFrameDue(int offset) {
    return parts.isEmpty() || offset - parts.getLast().offset >= FRAME_BYTES;
  }

  void frame(int offset, long micros) {
    parts.add(new Part(offset, firstLine + lines, micros));
  }

  void line(int attempt, long micros, int length, LogRecord.Missing missing) {
    Count count = counts.get(attempt);
    count.lines++;
    count.bytes += length;
    Part part = parts.getLast();
    part.lines++;
    part.lastMicros = Math.max(part.lastMicros, micros);
    lines++;
    bytes += length;
    missingLines += missing.lines();
    missingBytes += missing.bytes();
  }

  int frames() {
    return parts.size();
  }

  /**
   * Returns the offset of a frame's records; for the number after the last frame, the end of the
   * records.
   */
  int offset(int frame, int end) {
    return frame == parts.size() ? end : parts.get(frame).offset;
  }

  /** Describes a frame as stored in the object. */
  LogIndex.Frame frame(int number, int offset, int size, int end) {
    Part part = parts.get(number);
    return new LogIndex.Frame(
        offset,
        size,
        offset(number + 1, end) - part.offset,
        part.firstLine,
        part.lines,
        part.firstMicros,
        part.lastMicros);
  }

  LogIndex index(List<LogIndex.Frame> frames, boolean last) {
    List<LogIndex.Attempt> table = new ArrayList<>();
    for (int i = 0; i < order.size(); i++) {
      table.add(new LogIndex.Attempt(order.get(i), counts.get(i).lines, counts.get(i).bytes));
    }
    return new LogIndex(
        LogIndex.SCHEMA,
        run,
        epoch,
        firstLine,
        lines,
        bytes,
        parts.isEmpty() ? 0 : parts.getFirst().firstMicros,
        parts.stream().mapToLong(part -> part.lastMicros).max().orElse(0),
        last,
        new LogRecord.Missing(missingLines, missingBytes),
        table,
        frames);
  }
}
