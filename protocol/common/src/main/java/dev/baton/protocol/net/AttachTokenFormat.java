/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.net;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Defines the text of attach tokens and how a call carries one. A runner sends its token in the
 * metadata {@value #METADATA} of {@code Attach}, after {@value #SCHEME}. Thread-safe.
 */
public final class AttachTokenFormat {
  /** Name of the metadata. */
  public static final String METADATA = "authorization";

  /** What a token must be, for error messages. */
  public static final String ALLOWED = "16 to 512 visible ASCII characters without spaces";

  private static final String SCHEME = "Bearer ";
  private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]{16,512}");

  private AttachTokenFormat() {}

  public static boolean isValid(String token) {
    return TOKEN.matcher(token).matches();
  }

  /** Returns the value of the metadata for a token. */
  public static String metadata(String token) {
    return SCHEME + token;
  }

  /** Returns the token of the metadata's value; empty when it has another scheme. */
  public static Optional<String> token(String metadata) {
    return metadata.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? Optional.of(metadata.substring(SCHEME.length()).strip())
        : Optional.empty();
  }

  /**
   * Returns the tokens of a file: one per line, without empty lines and those that begin with #.
   */
  public static List<String> lines(String file) {
    return file.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .toList();
  }

  /**
   * Returns the digest by which tokens are compared: of equal length for all, so that {@link
   * MessageDigest#isEqual} takes the same time for each.
   */
  public static byte[] digest(String token) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK supports SHA-256", e);
    }
  }
}
