/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot that must not be restored. None of these goes away by trying again with the same
 * bytes; nothing has been put at the target when one is thrown. (A plain {@link IOException} means
 * that this machine failed: disk full, no permission.)
 */
public abstract sealed class SnapshotException extends IOException {
  private static final long serialVersionUID = 1L;

  private SnapshotException(String message) {
    super(message);
  }

  /** The restored tree is not the tree that was asked for. */
  public static final class DigestMismatch extends SnapshotException {
    private static final long serialVersionUID = 1L;

    DigestMismatch(String expected, String actual, String where) {
      super("the tree %s has digest %s, expected %s".formatted(where, actual, expected));
    }

    public DigestMismatch(String message) {
      super(message);
    }
  }

  /**
   * A name that is absolute, has a component {@code ..}, or is otherwise no path inside the target.
   */
  public static final class UnsafeName extends SnapshotException {
    private static final long serialVersionUID = 1L;

    public UnsafeName(String message) {
      super(message);
    }
  }

  /**
   * An entry whose parent is not a directory of the archive: a symbolic link, a file, or missing.
   */
  public static final class NotInDirectory extends SnapshotException {
    private static final long serialVersionUID = 1L;

    NotInDirectory(TreePath path, String parentIs) {
      super(
          "entry '%s' must be in a directory that comes before it in the archive; its parent is %s"
              .formatted(path, parentIs));
    }
  }

  /** A hard link to something that is no file of the archive. */
  public static final class LinkEscapes extends SnapshotException {
    private static final long serialVersionUID = 1L;

    LinkEscapes(TreePath path, String target, @Nullable Throwable cause) {
      super(
          "hard link '%s' must name a file that comes before it in the archive, not '%s'"
              .formatted(path, target));
      initCause(cause);
    }

    public LinkEscapes(String message) {
      super(message);
    }
  }

  /**
   * The same name twice in a directory, or two names that the target's file system takes for one.
   */
  public static final class DuplicateEntry extends SnapshotException {
    private static final long serialVersionUID = 1L;

    DuplicateEntry(TreePath path) {
      super("entry '%s' is in the archive twice".formatted(path));
    }

    public DuplicateEntry(String message) {
      super(message);
    }
  }

  /** More bytes or entries than {@link Limits} allows. */
  public static final class TooLarge extends SnapshotException {
    private static final long serialVersionUID = 1L;

    public TooLarge(String message) {
      super(message);
    }
  }

  /** A device, FIFO or other kind of entry that no capture writes. */
  public static final class UnsupportedEntry extends SnapshotException {
    private static final long serialVersionUID = 1L;

    UnsupportedEntry(TreePath path, String kind) {
      super(
          "entry '%s' is %s; only files, directories and links can be restored"
              .formatted(path, kind));
    }
  }

  /** More entries than a node, a tree or {@link Limits} may have. */
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

  /** Bytes that would mean something, but not as the one encoding that this content has. */
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

  /** Bytes that are not what they should be, or end too soon. */
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
