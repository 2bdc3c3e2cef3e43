/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

/** Why a run is stopped before its end. */
public enum StopReason {
  /** It only waits, and may for long: it goes on when what it waits for has come. */
  PARKED,
  /**
   * The process is to end and somebody takes over: it stops between two steps, and where it only
   * waits.
   */
  LEAVING,
  /** Someone asked for a pause: it stops between two steps, and where it only waits. */
  PAUSED,
  /** Someone asked for a pause now: the step in progress runs again when the run is resumed. */
  PAUSED_NOW,
  /** The process is asked to end: cut what can be cut, the run goes on elsewhere. */
  SHUTDOWN,
  /** It was cancelled; the trace says so already. */
  CANCELLED,
  /** Another epoch holds the baton: nothing more may be written. */
  FENCED,
  /** The runner cannot carry it: no trace, or an error of its own. */
  BROKEN;

  /** Whether steps in progress are interrupted. */
  boolean interrupts() {
    return switch (this) {
      case PARKED, LEAVING, PAUSED -> false;
      case PAUSED_NOW, SHUTDOWN, CANCELLED, FENCED, BROKEN -> true;
    };
  }

  /** Whether the run is paused with it, once that is on the log. */
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
