/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.audit;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** How an audited call ended. */
public enum AuditOutcome {
  OK,
  /** The caller may not do it. */
  REFUSED,
  /** The request was invalid, or the state of its target did not allow it. */
  REJECTED,
  /** The service could not perform it; it may have happened in part. */
  FAILED,
  /** The replica ended during the call; it may have happened. */
  UNKNOWN;

  private static final int CLIENT_ERROR = 400;
  private static final int SERVER_ERROR = 500;

  /** Returns the outcome of a status of HTTP. */
  public static AuditOutcome ofStatus(int status) {
    if (status < CLIENT_ERROR) {
      return OK;
    }
    if (status == 401 || status == 403) {
      return REFUSED;
    }
    return status < SERVER_ERROR ? REJECTED : FAILED;
  }

  public static Optional<AuditOutcome> of(String word) {
    return Arrays.stream(values()).filter(outcome -> outcome.word().equals(word)).findFirst();
  }

  public static List<String> words() {
    return Arrays.stream(values()).map(AuditOutcome::word).toList();
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
