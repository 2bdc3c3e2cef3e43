/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.log;

import java.util.List;

/**
 * What a chunk of a run's log holds. It is the JSON at the end of the chunk's object, and what the
 * store keeps of it.
 *
 * @param schema of this record: {@value #SCHEMA}
 * @param firstLine the number of its first line in the epoch, from 1
 * @param lines how many it has; 0 of one that only says that the log has ended
 * @param bytes of the lines' text
 * @param firstMicros when its first line was read, since 1970; 0 of one without lines
 * @param last whether it is the epoch's last chunk
 * @param missing what the lines' notices say is missing
 * @param attempts by their index in the records
 * @param frames in their order; all lines are in one of them
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

  /** At the end of an object, behind the four bytes of the index's length. */
  public static final int MAGIC = 0x424C4731;

  /** Bytes of the length and the magic. */
  public static final int TRAILER = 8;

  /** Bytes a chunk's index may have. */
  public static final int MAX_BYTES = 1 << 20;

  /** Attempts that a chunk may have lines of. */
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
   * @param raw the records' bytes
   */
  public record Frame(
      int offset,
      int size,
      int raw,
      long firstLine,
      long lines,
      long firstMicros,
      long lastMicros) {
    /** Bytes of records that a frame may have. */
    public static final int MAX_RAW = 4 << 20;
  }

  /** Behind the last line. */
  public long nextLine() {
    return firstLine + lines;
  }

  /**
   * Fails where a reader could be led astray by it: it comes from outside.
   *
   * @param size of the object, in bytes
   * @throws IllegalArgumentException that says what is wrong
   */
  public void check(long size) {
    require(schema == SCHEMA, "schema is " + schema + ", known is " + SCHEMA);
    require(epoch >= 1 && firstLine >= 1 && lines >= 0 && bytes >= 0, "a count is negative");
    require(attempts.size() <= MAX_ATTEMPTS, "more than " + MAX_ATTEMPTS + " attempts");
    long line = firstLine;
    long end = 0;
    for (Frame frame : frames) {
      require(frame.offset >= end && frame.size > 0, "a frame lies over another");
      require(frame.raw > 0 && frame.raw <= Frame.MAX_RAW, "a frame has " + frame.raw + " bytes");
      require(frame.firstLine == line && frame.lines > 0, "a frame begins with another line");
      end = (long) frame.offset + frame.size;
      line += frame.lines;
    }
    require(line == nextLine(), "the frames have not " + lines + " lines");
    require(end + TRAILER <= size, "the frames are longer than the object");
  }

  private static void require(boolean is, String otherwise) {
    if (!is) {
      throw new IllegalArgumentException("not the index of a log's chunk: " + otherwise);
    }
  }
}
