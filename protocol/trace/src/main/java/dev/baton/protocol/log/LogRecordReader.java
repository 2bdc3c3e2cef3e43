/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.log;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.RequiredFieldChecker;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads records of {@link LogRecordWriter}, from the beginning of a frame. For one thread.
 *
 * <p>An incomplete record ends the reading like the end of the bytes, since a file may end inside a
 * record. Bytes that are not records cause an {@link IllegalArgumentException}.
 */
public final class LogRecordReader {
  private final byte[] bytes;
  private final int end;
  private final List<LogAttempt> attempts = new ArrayList<>();
  private int at;
  private long before;
  private boolean frameBegan;
  private int frameAt;

  public LogRecordReader(byte[] bytes, int from, int to) {
    this.bytes = bytes;
    this.at = from;
    this.end = to;
  }

  /** Returns the next record; null when no complete one is left. */
  public @Nullable LogRecord next() {
    frameBegan = false;
    while (true) {
      int start = at;
      try {
        LogRecord record = read(start);
        if (record != null) {
          return record;
        }
      } catch (EndReached e) {
        at = start;
        return null;
      }
    }
  }

  /** Whether a frame began directly before the last record of {@link #next}. */
  public boolean frameBegan() {
    return frameBegan;
  }

  /** Returns the position at which the frame of the last record begins. */
  public int frameAt() {
    return frameAt;
  }

  /** Returns the position after the last complete record or mark. */
  public int position() {
    return at;
  }

  /** Returns the attempts defined so far, by their index. */
  public List<LogAttempt> attempts() {
    return attempts;
  }

  private @Nullable LogRecord read(int start) throws EndReached {
    long head = varint();
    int stream = (int) head & 3;
    boolean cut = (head & LogRecordWriter.CUT) != 0;
    long attempt = head >>> LogRecordWriter.HEAD_BITS;
    if (attempt >= LogIndex.MAX_ATTEMPTS) {
      throw new IllegalArgumentException("not a log: attempt " + attempt + " at byte " + start);
    }
    if (stream == LogRecordWriter.MARK) {
      mark((int) attempt, cut, start);
      return null;
    }
    long zigzag = varint();
    long micros = before + ((zigzag >>> 1) ^ -(zigzag & 1));
    byte[] text = text(start);
    LogRecord.Missing missing = LogRecord.Missing.NOTHING;
    if (stream == LogStream.BATON.ordinal()) {
      missing = new LogRecord.Missing(varint(), varint());
    }
    before = micros;
    return new LogRecord((int) attempt, LogStream.values()[stream], micros, cut, text, missing);
  }

  private void mark(int index, boolean frame, int start) throws EndReached {
    if (frame) {
      before = 0;
      frameBegan = true;
      frameAt = start;
      return;
    }
    LogAttempt attempt = attempt(text(start), start);
    // A file defines attempts in order; a reader of a single frame has not seen the earlier ones.
    while (attempts.size() <= index) {
      attempts.add(attempt);
    }
    attempts.set(index, attempt);
  }

  private static LogAttempt attempt(byte[] json, int start) {
    try {
      LogAttempt attempt = Json.read(json, LogAttempt.class);
      if (attempt != null && RequiredFieldChecker.missing(attempt) == null) {
        return attempt;
      }
    } catch (UncheckedIOException e) {
      throw new IllegalArgumentException("not a log: an attempt at byte " + start, e);
    }
    throw new IllegalArgumentException("not a log: an attempt at byte " + start);
  }

  private byte[] text(int start) throws EndReached {
    long length = varint();
    // A number of ten bytes may be negative.
    if (length < 0 || length > LogRecord.MAX_BYTES * 8L) {
      throw new IllegalArgumentException("not a log: length " + length + " at byte " + start);
    }
    if (end - at < length) {
      throw EndReached.HERE;
    }
    at += (int) length;
    return Arrays.copyOfRange(bytes, at - (int) length, at);
  }

  private long varint() throws EndReached {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at == end) {
        throw EndReached.HERE;
      }
      byte next = bytes[at++];
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("not a log: a number at byte " + at);
  }

  private static final class EndReached extends Exception {
    private static final long serialVersionUID = 1L;
    static final EndReached HERE = new EndReached();

    private EndReached() {
      super("the bytes end within a record", null, false, false);
    }
  }
}
