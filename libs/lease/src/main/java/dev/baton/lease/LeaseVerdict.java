/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.lease;

import java.util.Locale;

/** The result of verifying the lease token, or its absence, of an event or request. */
public sealed interface LeaseVerdict {
  /** The token is valid for this run, epoch and project. */
  record Granted(String run, int epoch, String project) implements LeaseVerdict {}

  /** The token is absent and not required. */
  record NotAsked() implements LeaseVerdict {}

  /**
   * The token is missing, invalid or for another run, epoch or project.
   *
   * @param detail one line for people that describes the error and never contains the token
   */
  record Refused(Reason reason, String detail) implements LeaseVerdict {
    /** The reason and its description in one line, as in errors and dead letters. */
    public String message() {
      return "lease refused (%s): %s".formatted(reason.word(), detail);
    }
  }

  /** The reason, as in metrics and dead letters. */
  enum Reason {
    MISSING,
    MALFORMED,
    UNKNOWN_KEY,
    BAD_SIGNATURE,
    /** A valid token of another run, epoch or project. */
    FOREIGN;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
