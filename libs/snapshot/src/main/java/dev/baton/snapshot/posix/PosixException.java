/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

import java.io.IOException;
import java.util.Map;

/** Reports a failed system call, with its error and path. */
public final class PosixException extends IOException {
  private static final long serialVersionUID = 1L;

  static final int ENOENT = 2;
  static final int ENXIO = 6;
  static final int EEXIST = 17;
  static final int EINVAL = 22;
  static final int ENAMETOOLONG = 36;
  static final int ENODATA = 61;
  static final int EOPNOTSUPP = 95;

  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(1, "EPERM (operation not permitted)"),
          Map.entry(ENOENT, "ENOENT (no such file or directory)"),
          Map.entry(5, "EIO (input/output error)"),
          Map.entry(ENXIO, "ENXIO (no such device or address)"),
          Map.entry(7, "E2BIG (too long)"),
          Map.entry(9, "EBADF (not open)"),
          Map.entry(12, "ENOMEM (out of memory)"),
          Map.entry(13, "EACCES (permission denied)"),
          Map.entry(16, "EBUSY (in use)"),
          Map.entry(EEXIST, "EEXIST (it exists)"),
          Map.entry(18, "EXDEV (on another file system)"),
          Map.entry(20, "ENOTDIR (not a directory)"),
          Map.entry(21, "EISDIR (a directory)"),
          Map.entry(EINVAL, "EINVAL (invalid argument)"),
          Map.entry(23, "ENFILE (too many open files in the system)"),
          Map.entry(24, "EMFILE (too many open files)"),
          Map.entry(26, "ETXTBSY (being executed)"),
          Map.entry(27, "EFBIG (file too large)"),
          Map.entry(28, "ENOSPC (no space left)"),
          Map.entry(30, "EROFS (read-only file system)"),
          Map.entry(31, "EMLINK (too many links)"),
          Map.entry(34, "ERANGE (larger than the buffer)"),
          Map.entry(ENAMETOOLONG, "ENAMETOOLONG (name too long)"),
          Map.entry(38, "ENOSYS (no such system call)"),
          Map.entry(39, "ENOTEMPTY (not empty)"),
          Map.entry(40, "ELOOP (a symbolic link)"),
          Map.entry(ENODATA, "ENODATA (no such attribute)"),
          Map.entry(EOPNOTSUPP, "EOPNOTSUPP (not supported)"),
          Map.entry(116, "ESTALE (stale handle)"),
          Map.entry(122, "EDQUOT (quota used up)"));

  private final int errno;

  PosixException(String doing, String path, int errno) {
    super("%s %s: %s".formatted(doing, path, NAMES.getOrDefault(errno, "errno " + errno)));
    this.errno = errno;
  }

  public int errno() {
    return errno;
  }

  /** The name does not exist, or a directory of its path is not, or no longer, a directory. */
  public boolean isAbsent() {
    return errno == ENOENT || errno == 20 || errno == 116;
  }

  /** Like {@link #isAbsent}, or the file was replaced by one of another kind. */
  public boolean isReplaced() {
    return isAbsent() || errno == EINVAL || errno == 21 || isLink();
  }

  public boolean isDenied() {
    return errno == 1 || errno == 13 || errno == 30;
  }

  /** The name already exists; nothing was overwritten. */
  public boolean isTaken() {
    return errno == EEXIST || errno == 39;
  }

  /** A symbolic link was found instead of another kind of file; it was not followed. */
  public boolean isLink() {
    return errno == 40;
  }

  /** Space, quota, memory or open files are exhausted: other files would fail, too. */
  public boolean isExhausted() {
    return errno == 12 || errno == 23 || errno == 24 || errno == 28 || errno == 122;
  }

  /** The file system does not support the operation. */
  public boolean isUnsupported() {
    return errno == EOPNOTSUPP || errno == 38;
  }
}
