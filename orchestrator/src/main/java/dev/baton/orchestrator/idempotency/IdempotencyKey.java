/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.idempotency;

import dev.baton.orchestrator.identity.Caller;
import dev.baton.orchestrator.problem.ProblemException;
import dev.baton.orchestrator.problem.ProblemKind;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A caller's key for one request, with a hash of the request's body.
 *
 * @param key the caller, the operation and the caller's text: the same text of another caller or
 *     for another operation is a different key
 * @param text the caller's text
 * @param bodyHash SHA-256 of the body in hex
 */
public record IdempotencyKey(String key, String text, String bodyHash) {
  public static final String HEADER = "Idempotency-Key";

  /** Set on a stored response of an earlier request. */
  public static final String REPLAYED = "Idempotent-Replayed";

  private static final int MAX = 255;

  /**
   * Returns null when the request has no key.
   *
   * @throws ProblemException when the key is empty, longer than 255 characters or not printable
   *     ASCII
   */
  public static @Nullable IdempotencyKey of(
      Caller caller, String operation, @Nullable String header, byte @Nullable [] body) {
    if (header == null) {
      return null;
    }
    if (header.isBlank()
        || header.length() > MAX
        || !header.chars().allMatch(c -> c >= 0x20 && c < 0x7f)) {
      throw new ProblemException(
          ProblemKind.BAD_PARAMETER,
          HEADER + " is not allowed; allowed: 1 to " + MAX + " printable ASCII characters");
    }
    return new IdempotencyKey(
        caller.id() + "|" + operation + "|" + header,
        header,
        sha256(body == null ? new byte[0] : body));
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
