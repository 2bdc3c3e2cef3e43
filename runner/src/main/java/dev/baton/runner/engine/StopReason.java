/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

/** Why a run is stopped before its end. */
public enum StopReason {
  /** The run only waits, possibly for long; it continues when its wait is over. */
  PARKED,
  /**
   * The process ends and another runner takes over: the run stops between two steps, or where it
   * only waits.
   */
  LEAVING,
  /** A pause was requested: the run stops between two steps, or where it only waits. */
  PAUSED,
  /** An immediate pause was requested: the step in progress runs again when the run is resumed. */
  PAUSED_NOW,
  /** The process is shut down: cut what can be cut, the run continues on another runner. */
  SHUTDOWN,
  /** The run was cancelled, which is already on the trace. */
  CANCELLED,
  /** Another epoch holds the baton: no more events may be written. */
  FENCED,
  /**
   * The runner cannot continue the run: the trace cannot be written, or the runner has an error.
   */
  BROKEN;

  /** Whether steps in progress are interrupted. */
  boolean interrupts() {
    return switch (this) {
      case PARKED, LEAVING, PAUSED -> false;
      case PAUSED_NOW, SHUTDOWN, CANCELLED, FENCED, BROKEN -> true;
    };
  }

  /** Whether the run is paused by this reason, once that is on the log. */
  boolean isPause() {
    return switch (this) {
      case PAUSED, PAUSED_NOW -> true;
      case PARKED, LEAVING, SHUTDOWN, CANCELLED, FENCED, BROKEN -> false;
    };
  }

  /** A stronger reason replaces a weaker one. */
  boolean isStrongerThan(StopReason other) {
    return ordinal() > other.ordinal();
  }
}
