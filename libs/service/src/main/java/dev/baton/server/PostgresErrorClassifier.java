/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import io.vertx.pgclient.PgException;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Distinguishes data that Postgres always rejects from an unavailable Postgres. */
public final class PostgresErrorClassifier {
  /** Data exceptions, violated constraints, exceeded limits (an index row that is too long). */
  private static final Set<String> CLASSES = Set.of("22", "23", "54");

  /**
   * The functions of Postgres that report the end of its transaction ids, also in class 54: every
   * write fails until a vacuum has freed some.
   */
  private static final Set<String> OUT_OF_IDS = Set.of("GetNewTransactionId", "GetNewMultiXactId");

  private PostgresErrorClassifier() {}

  /**
   * Returns whether the same statement with the same data would fail again: SQLSTATE class 22 (data
   * exceptions), 23 (violated constraints) or 54 (exceeded limits), except that Postgres has no
   * transaction ids left. Examines the first error of Postgres among the failure and its causes.
   */
  public static boolean isFinal(Throwable failure) {
    for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof PgException refused) {
        String state = Objects.requireNonNullElse(refused.getSqlState(), "");
        return state.length() == 5
            && CLASSES.contains(state.substring(0, 2))
            && !OUT_OF_IDS.contains(Objects.requireNonNullElse(refused.getRoutine(), ""));
      }
    }
    return false;
  }
}
