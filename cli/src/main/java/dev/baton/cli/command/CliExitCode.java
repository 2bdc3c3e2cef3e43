/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.command;

/**
 * What the command's exit code says; documented in {@code docs/cli.md}, so a number never moves.
 */
public enum CliExitCode {
  OK(0),
  /** The command worked and the thing it was about failed: a run, a check, the stack's start. */
  FAILED(1),
  /** The arguments or the input are wrong, whoever found out. */
  USAGE(2),
  NOT_FOUND(3),
  /** A display id that belongs to several runs, or a run with several waiting approvals. */
  AMBIGUOUS(4),
  /** The state does not allow it: answered already, ended already. */
  CONFLICT(5),
  UNREACHABLE(6),
  TIMEOUT(7),
  /** The server answered with an error of its own, or refuses this caller. */
  SERVER(8),
  /** The run that was waited for is paused. */
  PAUSED(9),
  /** {@code guard}: not started, since the step's epoch does not hold the run. */
  FENCED(120),
  /** {@code guard}: not started, since nobody said in time whether it does. */
  UNKNOWN(121),
  /** Whoever read the output has gone, as shells count it. */
  PIPE(141),
  /** Ctrl-C, as shells count it. */
  INTERRUPTED(130);

  private final int number;

  CliExitCode(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }
}
