/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * When the credential of a caller ends.
 *
 * @param credential its kind, for messages
 * @param until null: it does not expire
 * @param isRevocable whether it is a key of the database
 */
public record CallerValidity(String credential, @Nullable Instant until, boolean isRevocable) {
  private static final String KEY = "API key";

  /** Of credentials that are valid as long as this process runs. */
  static final CallerValidity ENDLESS = new CallerValidity(KEY, null, false);

  static CallerValidity ofStoredKey(@Nullable Instant until) {
    return new CallerValidity(KEY, until, true);
  }

  static CallerValidity until(String credential, Instant until) {
    return new CallerValidity(credential, until, false);
  }

  boolean hasExpired(Instant now) {
    return until != null && !until.isAfter(now);
  }
}
