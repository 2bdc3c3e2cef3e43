/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.digest;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Computes and checks digests, always written {@code sha256:<64 lower-case hex>}. */
public final class Digest {
  private static final String PREFIX = "sha256:";
  private static final int LENGTH = PREFIX.length() + 64;

  private Digest() {}

  public static String of(byte[] bytes) {
    return ofHash(sha256().digest(bytes));
  }

  /** Formats a computed SHA-256 hash. */
  public static String ofHash(byte[] hash) {
    return PREFIX + HexFormat.of().formatHex(hash);
  }

  public static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * @throws IllegalArgumentException when the text is not a digest
   */
  public static String check(String text) {
    if (!isDigest(text)) {
      throw new IllegalArgumentException("digest '" + text + "' is not sha256:<64 hex>");
    }
    return text;
  }

  private static boolean isDigest(String text) {
    if (text.length() != LENGTH || !text.startsWith(PREFIX)) {
      return false;
    }
    for (int i = PREFIX.length(); i < LENGTH; i++) {
      char c = text.charAt(i);
      if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
        return false;
      }
    }
    return true;
  }
}
