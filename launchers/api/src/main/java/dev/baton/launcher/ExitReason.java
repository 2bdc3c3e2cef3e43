/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher;

import java.util.Locale;

/**
 * Why a runner has ended. Only shown: every end of a runner leads to the next epoch, for any
 * reason.
 */
public enum ExitReason {
  /** Exit code 0. */
  COMPLETED,
  /** Another exit code. */
  FAILED,
  /** By a signal. */
  KILLED,
  /** The place has killed it since it used too much memory. */
  OUT_OF_MEMORY,
  /** The place needed its resources, or was drained. */
  EVICTED,
  /** A more important workload took its place. */
  PREEMPTED,
  /** What it executes does not exist or must not be read. */
  IMAGE_MISSING,
  /** Its host is not reachable any more. */
  NODE_LOST,
  /** A person or program removed it. */
  DELETED,
  /** Ended while no launcher watched it. */
  UNKNOWN;

  /** Returns the word of the API and the database. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
