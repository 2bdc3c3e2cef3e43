/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.lease;

import java.util.Locale;

/** What a token, or its absence, says about who sent something. */
public sealed interface LeaseVerdict {
  /** A token vouches for run, epoch and project. */
  record Granted(String run, int epoch, String project) implements LeaseVerdict {}

  /** There is no token, and none is needed. */
  record NotAsked() implements LeaseVerdict {}

  /**
   * @param detail one line for people, which names what is wrong and never holds the token
   */
  record Refused(Reason reason, String detail) implements LeaseVerdict {}

  /** Why; as metrics and dead letters name it. */
  enum Reason {
    MISSING,
    MALFORMED,
    UNKNOWN_KEY,
    BAD_SIGNATURE,
    /** A true token, of another run, epoch or project. */
    FOREIGN;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }
}
