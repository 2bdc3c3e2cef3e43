/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A message in Protocol Buffers' wire format, by field numbers: the versions under attack have
 * different classes for it. Not thread-safe.
 */
final class WireMessage {
  private static final int VARINT = 0;
  private static final int FIXED_64 = 1;
  private static final int BYTES = 2;
  private static final int FIXED_32 = 5;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  WireMessage number(int field, long value) {
    varint((long) field << 3 | VARINT);
    varint(value);
    return this;
  }

  WireMessage text(int field, String value) {
    return bytes(field, value.getBytes(StandardCharsets.UTF_8));
  }

  WireMessage message(int field, WireMessage value) {
    return bytes(field, value.bytes());
  }

  WireMessage bytes(int field, byte[] value) {
    varint((long) field << 3 | BYTES);
    varint(value.length);
    out.writeBytes(value);
    return this;
  }

  private void varint(long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) (rest & 0x7f | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  byte[] bytes() {
    return out.toByteArray();
  }

  /**
   * A field of a message.
   *
   * @param number of a field that has one
   * @param bytes of a field of texts, bytes or messages; empty for others
   */
  private record Field(long field, long number, byte[] bytes) {}

  private static List<Field> fields(byte[] message) {
    List<Field> fields = new ArrayList<>();
    ByteBuffer in = ByteBuffer.wrap(message);
    while (in.hasRemaining()) {
      long tag = varint(in);
      byte[] bytes = {};
      long number = 0;
      switch ((int) (tag & 7)) {
        case VARINT -> number = varint(in);
        case FIXED_64 -> number = in.getLong();
        case FIXED_32 -> number = in.getInt();
        case BYTES -> {
          bytes = new byte[Math.toIntExact(varint(in))];
          in.get(bytes);
        }
        default -> throw new IllegalArgumentException("no message: tag " + tag);
      }
      fields.add(new Field(tag >>> 3, number, bytes));
    }
    return fields;
  }

  /** Returns the values of a repeated field of texts, bytes or messages. */
  static List<byte[]> all(byte[] message, int field) {
    return fields(message).stream()
        .filter(found -> found.field() == field)
        .map(Field::bytes)
        .toList();
  }

  /** Returns the last value of a field with a number; 0 if the message does not have it. */
  static long number(byte[] message, int field) {
    return fields(message).stream()
        .filter(found -> found.field() == field)
        .mapToLong(Field::number)
        .reduce(0, (_, last) -> last);
  }

  /** Returns the last value of a field as a text; empty if the message does not have it. */
  static String text(byte[] message, int field) {
    List<byte[]> all = all(message, field);
    return all.isEmpty() ? "" : new String(all.getLast(), StandardCharsets.UTF_8);
  }

  private static long varint(ByteBuffer in) {
    long value = 0;
    for (int shift = 0; shift < Long.SIZE; shift += 7) {
      byte next = in.get();
      value |= (long) (next & 0x7f) << shift;
      if (next >= 0) {
        return value;
      }
    }
    throw new IllegalArgumentException("no message: a number of more than 64 bits");
  }
}
