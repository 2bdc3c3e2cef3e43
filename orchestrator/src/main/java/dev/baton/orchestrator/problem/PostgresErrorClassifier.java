/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import io.vertx.pgclient.PgException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Distinguishes data that Postgres always rejects from an unavailable Postgres. */
public final class PostgresErrorClassifier {
  /** Data exceptions, violated constraints, exceeded limits (an index row that is too long). */
  private static final Set<String> CLASSES = Set.of("22", "23", "54");

  private PostgresErrorClassifier() {}

  /** Whether the same statement with the same data would fail again. */
  public static boolean isFinal(Throwable failure) {
    for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof PgException refused) {
        String state = refused.getSqlState();
        return state != null && state.length() == 5 && CLASSES.contains(state.substring(0, 2));
      }
    }
    return false;
  }
}
