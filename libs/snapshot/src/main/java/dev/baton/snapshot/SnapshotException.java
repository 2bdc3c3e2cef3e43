/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;

/**
 * A snapshot that must not be restored. Retrying with the same bytes fails in the same way; the
 * target is untouched when one is thrown. (A plain {@link IOException} means that this machine
 * failed: disk full, no permission.)
 */
public abstract sealed class SnapshotException extends IOException {
  private static final long serialVersionUID = 1L;

  private SnapshotException(String message) {
    super(message);
  }

  /** The digest of the restored tree differs from the requested one. */
  public static final class DigestMismatch extends SnapshotException {
    private static final long serialVersionUID = 1L;

    public DigestMismatch(String message) {
      super(message);
    }
  }

  /**
   * A name that is absolute, has a component {@code ..}, or is otherwise not a path inside the
   * target.
   */
  public static final class UnsafeName extends SnapshotException {
    private static final long serialVersionUID = 1L;

    public UnsafeName(String message) {
      super(message);
    }
  }

  /** A hard link whose path is not a file of the tree. */
  public static final class LinkEscapes extends SnapshotException {
    private static final long serialVersionUID = 1L;

    public LinkEscapes(String message) {
      super(message);
    }
  }

  /**
   * The same name twice in a directory, or two names that the target's file system does not
   * distinguish.
   */
  public static final class DuplicateEntry extends SnapshotException {
    private static final long serialVersionUID = 1L;

    public DuplicateEntry(String message) {
      super(message);
    }
  }

  /** More bytes than {@link RestoreLimits} allows, or than this part of a snapshot can have. */
  public static final class TooLarge extends SnapshotException {
    private static final long serialVersionUID = 1L;

    public TooLarge(String message) {
      super(message);
    }
  }

  /** More entries than a node, a tree or {@link RestoreLimits} may have. */
  public static final class TooManyEntries extends SnapshotException {
    private static final long serialVersionUID = 1L;

    public TooManyEntries(String message) {
      super(message);
    }
  }

  /** Directories nested deeper than a tree may be. */
  public static final class TooDeep extends SnapshotException {
    private static final long serialVersionUID = 1L;

    public TooDeep(String message) {
      super(message);
    }
  }

  /** Bytes that can be decoded, but are not the only valid encoding of their content. */
  public static final class NotCanonical extends SnapshotException {
    private static final long serialVersionUID = 1L;

    public NotCanonical(String message) {
      super(message);
    }
  }

  /** A chunk that the tree needs is in none of its packs. */
  public static final class MissingChunk extends SnapshotException {
    private static final long serialVersionUID = 1L;

    public MissingChunk(String message) {
      super(message);
    }
  }

  /** Bytes that are malformed or truncated. */
  public static final class Corrupt extends SnapshotException {
    private static final long serialVersionUID = 1L;

    public Corrupt(String message, Throwable cause) {
      super(message + ": " + cause.getMessage());
      initCause(cause);
    }

    public Corrupt(String message) {
      super(message);
    }
  }
}
