/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.process;

/**
 * One process at the time of a scan.
 *
 * @param session pid of the session's leader, which may have ended
 * @param startTicks since boot; distinguishes a process from a later one with the same pid
 * @param state the letter of {@code /proc/PID/stat}, for example {@code R}, {@code S}, {@code Z}
 */
public record ProcessEntry(
    long pid, long parent, long group, long session, long startTicks, char state) {

  /** Whether it has ended and only its parent has not been notified. */
  public boolean isDead() {
    return state == 'Z' || state == 'X';
  }

  /** Whether it executes nothing: stopped by a signal or a debugger, or dead. */
  public boolean isStopped() {
    return state == 'T' || state == 't' || isDead();
  }
}
