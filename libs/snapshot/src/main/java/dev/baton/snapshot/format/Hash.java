/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collection;
import java.util.HexFormat;

/** A SHA-256 digest as four longs, big endian, first to last. Ordered like its bytes (unsigned). */
public record Hash(long a, long b, long c, long d) implements Comparable<Hash> {
  /** Size of a hash in bytes. */
  public static final int BYTES = 32;

  private static final String PREFIX = "sha256:";
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
  private static final ThreadLocal<MessageDigest> SHA256 = ThreadLocal.withInitial(Hash::digest);

  /** Computes the hash of {@code length} bytes, starting at {@code offset}. */
  public static Hash of(byte[] bytes, int offset, int length) {
    MessageDigest sha256 = SHA256.get();
    sha256.update(bytes, offset, length);
    return read(sha256.digest(), 0);
  }

  public static Hash of(byte[] bytes) {
    return of(bytes, 0, bytes.length);
  }

  /** Reads the 32 bytes of a hash at {@code offset}. */
  public static Hash read(byte[] bytes, int offset) {
    return new Hash(
        (long) LONGS.get(bytes, offset),
        (long) LONGS.get(bytes, offset + 8),
        (long) LONGS.get(bytes, offset + 16),
        (long) LONGS.get(bytes, offset + 24));
  }

  /**
   * Parses {@code sha256:} and 64 lower-case hexadecimal digits.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static Hash parse(String text) {
    if (text.length() != PREFIX.length() + 2 * BYTES
        || !text.startsWith(PREFIX)
        || !text.chars().skip(PREFIX.length()).allMatch(Hash::isHexDigit)) {
      throw new IllegalArgumentException(
          "'%s' is not a digest: it must be '%s' and 64 lower-case hexadecimal digits"
              .formatted(text, PREFIX));
    }
    return read(HexFormat.of().parseHex(text, PREFIX.length(), text.length()), 0);
  }

  private static boolean isHexDigit(int c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  }

  /** Writes the 32 bytes to {@code offset}. */
  public void write(byte[] bytes, int offset) {
    LONGS.set(bytes, offset, a);
    LONGS.set(bytes, offset + 8, b);
    LONGS.set(bytes, offset + 16, c);
    LONGS.set(bytes, offset + 24, d);
  }

  public byte[] toBytes() {
    byte[] bytes = new byte[BYTES];
    write(bytes, 0);
    return bytes;
  }

  /** Returns the 32 bytes of each hash, in the order of the collection. */
  public static byte[] concat(Collection<Hash> hashes) {
    byte[] bytes = new byte[hashes.size() * BYTES];
    int at = 0;
    for (Hash hash : hashes) {
      hash.write(bytes, at);
      at += BYTES;
    }
    return bytes;
  }

  /** Returns 64 lower-case hexadecimal digits. */
  public String hex() {
    return HexFormat.of().formatHex(toBytes());
  }

  /** Returns {@code sha256:} and {@link #hex}. */
  @Override
  public String toString() {
    return PREFIX + hex();
  }

  @Override
  public int hashCode() {
    return (int) (a ^ (a >>> 32)); // the bits of a digest are already evenly distributed
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Hash h && h.a == a && h.b == b && h.c == c && h.d == d;
  }

  @Override
  public int compareTo(Hash o) {
    if (a != o.a) {
      return Long.compareUnsigned(a, o.a);
    }
    if (b != o.b) {
      return Long.compareUnsigned(b, o.b);
    }
    return c != o.c ? Long.compareUnsigned(c, o.c) : Long.compareUnsigned(d, o.d);
  }

  private static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
