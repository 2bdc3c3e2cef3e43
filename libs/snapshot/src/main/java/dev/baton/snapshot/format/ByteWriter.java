/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Encodes integers, hashes and raw strings into a growing array. */
final class ByteWriter {
  private byte[] bytes;
  private int end;

  ByteWriter(int capacity) {
    this(new byte[capacity]);
  }

  /** Writes into this array until it is full. */
  ByteWriter(byte[] into) {
    bytes = into;
  }

  byte[] array() {
    return bytes;
  }

  int length() {
    return end;
  }

  /** Drops the bytes after {@code length}. */
  void truncate(int length) {
    end = length;
  }

  /** Ensures a total capacity in bytes. */
  void reserve(int capacity) {
    if (bytes.length < capacity) {
      bytes = Arrays.copyOf(bytes, capacity);
    }
  }

  void skip(int count) {
    ensure(count);
    end += count;
  }

  private void ensure(int more) {
    if (bytes.length - end < more) {
      bytes = Arrays.copyOf(bytes, Math.max(Math.addExact(end, more), bytes.length * 2));
    }
  }

  ByteWriter u8(int value) {
    ensure(1);
    bytes[end++] = (byte) value;
    return this;
  }

  ByteWriter u32le(int value) {
    return u8(value).u8(value >>> 8).u8(value >>> 16).u8(value >>> 24);
  }

  /** LEB128; treats all 64 bits as unsigned. */
  ByteWriter varint(long value) {
    ensure(10);
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      bytes[end++] = (byte) (rest | 0x80);
      rest >>>= 7;
    }
    bytes[end++] = (byte) rest;
    return this;
  }

  ByteWriter zigzag(long value) {
    return varint((value << 1) ^ (value >> 63));
  }

  ByteWriter hash(Hash hash) {
    ensure(Hash.BYTES);
    hash.write(bytes, end);
    end += Hash.BYTES;
    return this;
  }

  /** Writes the length and bytes of a raw string (one byte per char). */
  ByteWriter raw(String raw) {
    varint(raw.length());
    byte[] latin1 = raw.getBytes(StandardCharsets.ISO_8859_1);
    return put(latin1, 0, latin1.length);
  }

  ByteWriter ascii(String text) {
    byte[] ascii = text.getBytes(StandardCharsets.US_ASCII);
    return put(ascii, 0, ascii.length);
  }

  ByteWriter put(byte[] from, int offset, int length) {
    ensure(length);
    System.arraycopy(from, offset, bytes, end, length);
    end += length;
    return this;
  }

  byte[] toBytes() {
    return Arrays.copyOf(bytes, end);
  }
}
