/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import dev.baton.snapshot.posix.PosixException;

/**
 * An entry that was not captured, or possibly captured inconsistently.
 *
 * @param path as readable text
 * @param detail the system's error
 */
public record SkippedEntry(String path, Reason reason, String detail) {

  /** The reason why an entry was skipped. */
  public enum Reason {
    /** A socket, FIFO or device: not captured. */
    SPECIAL_FILE,
    /**
     * No permission, or an input/output error: not captured. For a directory, only its content is
     * not captured.
     */
    UNREADABLE,
    /** Removed, or replaced by another kind of file, between listing and reading: not captured. */
    VANISHED,
    /**
     * Captured, but written during every attempt to read it, so its content may be inconsistent.
     */
    CHANGED_WHILE_READ,
    /** Excluded by a rule or by the workflow: not captured; expected. */
    LEFT_OUT,
    /** Left out by a {@link FileContentScanner}: not captured. */
    CONTENT_REFUSED,
    /** Captured, but some or all of its extended attributes are missing. */
    ATTRIBUTES_LOST;

    /** Maps the error of opening or reading an entry to a reason. */
    public static Reason of(PosixException why) {
      return why.isReplaced() ? VANISHED : UNREADABLE;
    }
  }
}
