/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import com.github.f4b6a3.ulid.Ulid;
import com.github.f4b6a3.ulid.UlidCreator;
import dev.baton.protocol.json.TextShortener;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Locale;

/**
 * Creates and checks run ids. A run id is a ULID in lower case; its last six characters are its
 * display id.
 */
public final class RunId {
  private static final int LENGTH = 26;
  private static final int DISPLAY = 6;
  private static final long MAX_SECONDS = (1L << 48) / 1_000 - 1;

  private RunId() {}

  /** Returns a new id. Ids of one process increase. Thread-safe. */
  public static String next() {
    return UlidCreator.getMonotonicUlid().toString().toLowerCase(Locale.ROOT);
  }

  /**
   * Derives an id deterministically from two others: with the timestamp of the first, and otherwise
   * hashed.
   */
  public static String derived(String id, String of) {
    Ulid first = Ulid.from(check(id));
    byte[] hash = sha256((id + "/" + of).getBytes(StandardCharsets.US_ASCII));
    return Ulid.from(bytes(first.getTime(), hash)).toString().toLowerCase(Locale.ROOT);
  }

  private static byte[] bytes(long millis, byte[] hash) {
    return ByteBuffer.allocate(16)
        .putShort((short) (millis >>> 32))
        .putInt((int) millis)
        .put(hash, 0, 10)
        .array();
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Returns the creation time of the id, in milliseconds. */
  public static Instant time(String id) {
    return Ulid.from(check(id)).getInstant();
  }

  /**
   * Returns the lowest id of that millisecond: ids that are not lower were created then or later.
   * Times outside the range of an id (1970 to 10889) are clamped to it.
   */
  public static String firstOf(Instant time) {
    long millis = Math.clamp(time.getEpochSecond(), 0, MAX_SECONDS) * 1_000;
    long within = time.getEpochSecond() == millis / 1_000 ? time.getNano() / 1_000_000 : 0;
    return Ulid.from(bytes(millis + within, new byte[10])).toString().toLowerCase(Locale.ROOT);
  }

  public static boolean isValid(String text) {
    if (text.length() != LENGTH || text.charAt(0) > '7') {
      return false;
    }
    for (int i = 0; i < LENGTH; i++) {
      if (!isCrockford(text.charAt(i))) {
        return false;
      }
    }
    return true;
  }

  /** Base 32 without easily confused letters. */
  private static boolean isCrockford(char c) {
    return (c >= '0' && c <= '9')
        || (c >= 'a' && c <= 'z' && c != 'i' && c != 'l' && c != 'o' && c != 'u');
  }

  /**
   * @throws IllegalArgumentException when the text is not a lower-case ULID
   */
  public static String check(String text) {
    if (!isValid(text)) {
      throw new IllegalArgumentException(
          "run id '" + abbreviate(text) + "' is not a ULID in lower case (26 characters)");
    }
    return text;
  }

  public static String display(String run) {
    return run.substring(run.length() - DISPLAY);
  }

  private static String abbreviate(String text) {
    return TextShortener.shorten(text, 64);
  }
}
