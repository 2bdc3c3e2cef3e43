/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.log;

import java.util.List;

/**
 * The index of a chunk of a run's log: the JSON at the end of the chunk's object, which the store
 * also keeps.
 *
 * @param schema of this record: {@value #SCHEMA}
 * @param firstLine number of its first line in the epoch, from 1
 * @param lines number of lines; 0 for a chunk that only marks the end of the log
 * @param bytes of the lines' text
 * @param firstMicros when its first line was read, in microseconds since 1970; 0 for a chunk
 *     without lines
 * @param last whether it is the epoch's last chunk
 * @param missing what the notices in its lines report as missing
 * @param attempts by their index in the records
 * @param frames in order; together they contain all lines
 */
public record LogIndex(
    int schema,
    String run,
    int epoch,
    long firstLine,
    long lines,
    long bytes,
    long firstMicros,
    long lastMicros,
    boolean last,
    LogRecord.Missing missing,
    List<Attempt> attempts,
    List<Frame> frames) {
  public static final int SCHEMA = 1;

  /** Last four bytes of the object, after the index's length (four bytes). */
  public static final int MAGIC = 0x424C4731;

  /** Size of the length and the magic number, in bytes. */
  public static final int TRAILER = 8;

  /** Maximum bytes of a chunk's index. */
  public static final int MAX_BYTES = 1 << 20;

  /** Maximum number of attempts with lines in a chunk. */
  public static final int MAX_ATTEMPTS = 2_000;

  public LogIndex {
    attempts = List.copyOf(attempts);
    frames = List.copyOf(frames);
  }

  /** The lines of one attempt in a chunk. */
  public record Attempt(LogAttempt of, long lines, long bytes) {}

  /**
   * Records that are compressed together.
   *
   * @param offset of the first byte in the object
   * @param size in the object, in bytes
   * @param raw uncompressed size of the records, in bytes
   */
  public record Frame(
      int offset,
      int size,
      int raw,
      long firstLine,
      long lines,
      long firstMicros,
      long lastMicros) {
    /** Maximum bytes of a frame's records, uncompressed. */
    public static final int MAX_RAW = 4 << 20;
  }

  /** Returns the number of the first line after this chunk. */
  public long nextLine() {
    return firstLine + lines;
  }

  /**
   * Validates the index, which comes from an untrusted source, before it is used to read the
   * object.
   *
   * @param size of the object, in bytes
   * @throws IllegalArgumentException that names what is wrong
   */
  public void check(long size) {
    require(schema == SCHEMA, "schema " + schema + " is not supported, use " + SCHEMA);
    require(epoch >= 1 && firstLine >= 1 && lines >= 0 && bytes >= 0, "a count is negative");
    require(attempts.size() <= MAX_ATTEMPTS, "more than " + MAX_ATTEMPTS + " attempts");
    long line = firstLine;
    long end = 0;
    for (Frame frame : frames) {
      require(frame.offset >= end && frame.size > 0, "frames overlap");
      require(frame.raw > 0 && frame.raw <= Frame.MAX_RAW, "a frame has " + frame.raw + " bytes");
      require(
          frame.firstLine == line && frame.lines > 0,
          "a frame does not begin at the line after the previous frame");
      end = (long) frame.offset + frame.size;
      line += frame.lines;
    }
    require(line == nextLine(), "the frames do not have " + lines + " lines");
    require(end + TRAILER <= size, "the frames are longer than the object");
  }

  private static void require(boolean is, String otherwise) {
    if (!is) {
      throw new IllegalArgumentException("invalid log chunk index: " + otherwise);
    }
  }
}
