/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.command;

/** The exit codes. Documented in {@code docs/cli.md}; numbers never change. */
public enum CliExitCode {
  OK(0),
  /** The command worked, but its subject failed: a run, a check, the start of a stack. */
  FAILED(1),
  /** The arguments or the input are wrong, as found by the command or the server. */
  USAGE(2),
  NOT_FOUND(3),
  /** A display id that matches several runs, or a run with several waiting approvals. */
  AMBIGUOUS(4),
  /** Not possible in the current state: already answered, already ended. */
  CONFLICT(5),
  UNREACHABLE(6),
  TIMEOUT(7),
  /** The server failed internally, or denied access. */
  SERVER(8),
  /** The awaited run is paused. */
  PAUSED(9),
  /** {@code guard}: not started, since the step's epoch no longer holds the run. */
  FENCED(120),
  /** {@code guard}: not started, since the epoch's state could not be determined in time. */
  UNKNOWN(121),
  /** The reader of the output is gone; the shell's number for SIGPIPE. */
  PIPE(141),
  /** Ctrl-C; the shell's number for SIGINT. */
  INTERRUPTED(130);

  private final int number;

  CliExitCode(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }
}
