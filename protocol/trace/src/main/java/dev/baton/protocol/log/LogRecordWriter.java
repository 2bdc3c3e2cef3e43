/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.log;

import dev.baton.protocol.json.Json;
import java.util.Arrays;

/**
 * Writes records in sequence into memory. A record is a head (attempt, a "continues" bit, two bits
 * of the stream), the time difference to the previous record, a length and the bytes; numbers are
 * varints. Two kinds of marks are between records: the beginning of a frame, from which a reader
 * needs no earlier bytes, and the definition of an attempt's index. For one thread.
 */
public final class LogRecordWriter {
  static final int MARK = 3;
  static final int CUT = 4;
  static final int HEAD_BITS = 3;

  /** Maximum bytes of a head, a time, a length and the two missing counts. */
  private static final int MOST_AROUND = 5 + 10 + 5 + 10 + 10;

  private byte[] buffer = new byte[8 * 1024];
  private int size;
  private long before;

  /** Returns the maximum bytes of a record with this text. */
  public static int bound(int textBytes) {
    return textBytes + MOST_AROUND;
  }

  /** Begins a frame. */
  public void frame() {
    ensure(1);
    buffer[size++] = MARK | CUT;
    before = 0;
  }

  /** Defines the attempt of an index. */
  public void define(int index, LogAttempt attempt) {
    byte[] json = Json.bytes(attempt);
    ensure(bound(json.length));
    varint(((long) index << HEAD_BITS) | MARK);
    varint(json.length);
    put(json, json.length);
  }

  /** Adds a line: the first {@code length} bytes of {@code text}. */
  public void line(
      int attempt, LogStream stream, long micros, boolean cut, byte[] text, int length) {
    add(attempt, stream, micros, cut, text, length);
    if (stream == LogStream.BATON) {
      varint(0);
      varint(0);
    }
  }

  /** Adds a notice of lines missing at this position. */
  public void notice(int attempt, long micros, byte[] text, LogRecord.Missing missing) {
    add(attempt, LogStream.BATON, micros, false, text, text.length);
    varint(missing.lines());
    varint(missing.bytes());
  }

  private void add(
      int attempt, LogStream stream, long micros, boolean cut, byte[] text, int length) {
    ensure(bound(length));
    varint(((long) attempt << HEAD_BITS) | (cut ? CUT : 0) | stream.ordinal());
    long delta = micros - before;
    before = micros;
    varint((delta << 1) ^ (delta >> 63));
    varint(length);
    put(text, length);
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7FL) != 0) {
      buffer[size++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    buffer[size++] = (byte) rest;
  }

  private void put(byte[] bytes, int length) {
    System.arraycopy(bytes, 0, buffer, size, length);
    size += length;
  }

  private void ensure(int more) {
    if (buffer.length - size < more) {
      buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, size + more));
    }
  }

  /**
   * Returns the bytes written since the last {@link #clear}; only the first {@link #size} are
   * valid.
   */
  public byte[] buffer() {
    return buffer;
  }

  public int size() {
    return size;
  }

  /** Discards the bytes. Times of later records are still relative to the last record before. */
  public void clear() {
    size = 0;
  }
}
