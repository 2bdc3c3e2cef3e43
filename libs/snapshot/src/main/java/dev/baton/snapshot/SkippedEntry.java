/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.posix.PosixException;

/**
 * Something that a capture could not take, or not for certain.
 *
 * @param path for people
 * @param detail what the system said
 */
public record SkippedEntry(String path, Reason reason, String detail) {

  /** Why. */
  public enum Reason {
    /** A socket, FIFO or device: not captured. */
    SPECIAL_FILE,
    /**
     * No permission, or an input/output error: not captured (of a directory: only its content is
     * not).
     */
    UNREADABLE,
    /**
     * Gone, or replaced by another kind of file, between being listed and being read: not captured.
     */
    VANISHED,
    /**
     * Captured, but it was being written at every attempt to read it, so its content may be a
     * mixture.
     */
    CHANGED_WHILE_READ,
    /** A rule or the workflow leaves it out: not captured, and no cause for concern. */
    LEFT_OUT,
    /** Captured, but some or all of its extended attributes are missing. */
    ATTRIBUTES_LOST;

    /** Why something was not captured that could not be opened or read. */
    public static Reason of(PosixException why) {
      return why.isReplaced() ? VANISHED : UNREADABLE;
    }
  }
}
