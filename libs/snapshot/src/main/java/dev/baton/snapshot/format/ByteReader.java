/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import dev.baton.snapshot.SnapshotException;
import dev.baton.snapshot.SnapshotException.Corrupt;
import dev.baton.snapshot.SnapshotException.NotCanonical;
import java.nio.charset.StandardCharsets;

/** Reads the encoding of {@link ByteWriter}; never reads beyond the given range. */
final class ByteReader {
  private final String what;
  private final byte[] bytes;
  private final int start;
  private final int end;
  private int at;

  /**
   * @param what names the input in messages
   */
  ByteReader(String what, byte[] bytes, int offset, int length) {
    this.what = what;
    this.bytes = bytes;
    this.start = offset;
    this.end = offset + length;
    this.at = offset;
  }

  int left() {
    return end - at;
  }

  int position() {
    return at - start;
  }

  /** Adds the input and the position to the message. */
  String message(String problem) {
    return "%s, byte %d: %s".formatted(what, at - start, problem);
  }

  private void need(int count, String part) throws SnapshotException {
    if (left() < count) {
      throw new Corrupt(message("%s of %d bytes, %d are left".formatted(part, count, left())));
    }
  }

  int u8() throws SnapshotException {
    if (at == end) {
      throw new Corrupt(message("ends too soon"));
    }
    return bytes[at++] & 0xff;
  }

  int u32le() throws SnapshotException {
    return u8() | u8() << 8 | u8() << 16 | u8() << 24;
  }

  /** LEB128 of up to 64 bits, in its shortest form. */
  long varint64() throws SnapshotException {
    long value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      int b = u8();
      if (shift == 63 && b > 1) {
        throw new Corrupt(message("a number of more than 64 bits"));
      }
      value |= (long) (b & 0x7f) << shift;
      if (b < 0x80) {
        if (b == 0 && shift > 0) {
          throw new NotCanonical(message("a number in a longer form than it needs"));
        }
        return value;
      }
    }
    throw new Corrupt(message("a number of more than 64 bits"));
  }

  /** Reads a number from 0 to {@code most}. */
  long varint(long most, String part) throws SnapshotException {
    long value = varint64();
    if (value < 0 || value > most) {
      throw new Corrupt(
          message("%s is at most %d, not %s".formatted(part, most, Long.toUnsignedString(value))));
    }
    return value;
  }

  /**
   * Reads a count of elements that take at least {@code least} bytes each. Bounded by the remaining
   * bytes, so that a forged count cannot cause a large allocation.
   */
  int count(int most, int least, String part) throws SnapshotException {
    long count = varint64();
    if (count < 0 || count > most) {
      throw new SnapshotException.TooManyEntries(
          message("%s %s, at most %d".formatted(Long.toUnsignedString(count), part, most)));
    }
    if (count * least > left()) {
      throw new Corrupt(message("%d %s do not fit in %d bytes".formatted(count, part, left())));
    }
    return (int) count;
  }

  long zigzag() throws SnapshotException {
    long value = varint64();
    return (value >>> 1) ^ -(value & 1);
  }

  Hash hash() throws SnapshotException {
    need(Hash.BYTES, "a hash");
    Hash hash = Hash.read(bytes, at);
    at += Hash.BYTES;
    return hash;
  }

  /** Reads a raw string of at most {@code most} bytes. */
  String raw(int most, String part) throws SnapshotException {
    long length = varint64();
    if (length < 0 || length > most) {
      throw new SnapshotException.TooLarge(
          message(
              "%s is at most %d bytes, not %s"
                  .formatted(part, most, Long.toUnsignedString(length))));
    }
    need((int) length, part);
    String raw = new String(bytes, at, (int) length, StandardCharsets.ISO_8859_1);
    at += (int) length;
    return raw;
  }

  void magic(String ascii) throws SnapshotException {
    for (int i = 0; i < ascii.length(); i++) {
      if (u8() != ascii.charAt(i)) {
        throw new Corrupt("%s: does not begin with '%s'".formatted(what, ascii));
      }
    }
  }

  void end() throws SnapshotException {
    if (at != end) {
      throw new Corrupt(message("%d bytes too many".formatted(left())));
    }
  }
}
