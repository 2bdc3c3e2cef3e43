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

/**
 * Defines how a request or call carries an API key or attach token: in the header {@value #HEADER},
 * after {@value #SCHEME}. Thread-safe.
 */
public final class BearerCredential {
  /** Name of the header, and of gRPC's metadata. */
  public static final String HEADER = "authorization";

  private static final String SCHEME = "Bearer ";

  private BearerCredential() {}

  /** Returns the value of the header for a credential. */
  public static String header(String credential) {
    return SCHEME + credential;
  }

  /** Returns the credential of the header's value; empty when it has another scheme. */
  public static Optional<String> of(String header) {
    return header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())
        ? Optional.of(header.substring(SCHEME.length()).strip())
        : Optional.empty();
  }

  /**
   * Returns the credentials of a file: one per line, without empty lines and those that begin with
   * #.
   */
  public static List<String> lines(String file) {
    return file.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .toList();
  }

  /**
   * Returns the digest by which credentials are compared and stored: of equal length for all, so
   * that {@link MessageDigest#isEqual} takes the same time for each.
   */
  public static byte[] digest(String credential) {
    try {
      return MessageDigest.getInstance("SHA-256")
          .digest(credential.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK supports SHA-256", e);
    }
  }
}
