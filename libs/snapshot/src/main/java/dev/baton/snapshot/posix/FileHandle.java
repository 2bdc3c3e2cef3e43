/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

import java.io.IOException;
import java.util.SortedMap;
import java.util.function.Predicate;

/**
 * An open file or directory: attributes are read and set without resolving a path again. Any thread
 * may use it, but it must not be closed while another thread does. Each thread that reads or writes
 * keeps 256 KiB of native memory until it ends, so use a few busy threads rather than many idle
 * ones.
 */
public abstract sealed class FileHandle implements AutoCloseable permits OpenDirectory, OpenFile {
  static final int AT_FDCWD = -100;
  static final int AT_SYMLINK_NOFOLLOW = 0x100;
  static final int AT_EMPTY_PATH = 0x1000;
  private static final int AT_NO_AUTOMOUNT = 0x800;
  private static final int STATX_BASIC_STATS = 0x7ff;
  private static final long UTIME_OMIT = (1 << 30) - 2;

  private volatile int fd;

  FileHandle(int fd) {
    this.fd = fd;
  }

  /** Returns the path as readable text. */
  public abstract String path();

  final int fd() throws IOException {
    int open = fd;
    if (open < 0) {
      throw new IOException(path() + " is already closed");
    }
    return open;
  }

  public final void stat(StatBuffer into) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    check(statx(kernel, fd(), kernel.first(""), AT_EMPTY_PATH), "stat");
    into.fill(kernel);
  }

  static long statx(SyscallInvoker kernel, int fd, long name, int flags) {
    return kernel.call(
        Syscall.STATX, fd, name, flags | AT_NO_AUTOMOUNT, STATX_BASIC_STATS, kernel.struct());
  }

  /**
   * Sets exactly these twelve bits, independent of the umask. Call it after {@link #chown}, which
   * clears some bits, and after {@link #setXattr}, which changes some if it sets an access list.
   */
  public final void chmod(int permissions) throws IOException {
    check(SyscallInvoker.mine().call(Syscall.FCHMOD, fd(), permissions, 0), "set the mode of");
  }

  /** Sets the owner; ids are unsigned. Requires superuser rights. */
  public final void chown(int uid, int gid) throws IOException {
    check(
        SyscallInvoker.mine().call(Syscall.FCHOWN, fd(), uid & 0xffffffffL, gid & 0xffffffffL),
        "set the owner of");
  }

  /**
   * Sets the modification time, also before 1970 (then seconds are negative and nanoseconds count
   * upwards). The access time does not change.
   */
  public final void setModified(long seconds, int nanos) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    putTimes(kernel, seconds, nanos);
    check(kernel.call(Syscall.UTIMENSAT, fd(), 0, kernel.struct()), "set the time of");
  }

  static void putTimes(SyscallInvoker kernel, long seconds, int nanos) {
    kernel.putStructLong(0, 0);
    kernel.putStructLong(8, UTIME_OMIT);
    kernel.putStructLong(16, seconds);
    kernel.putStructLong(24, nanos);
  }

  /**
   * Returns the extended attributes whose names match, sorted by name; empty if the file system
   * does not support them.
   */
  public final SortedMap<String, byte[]> xattrs(Predicate<String> wanted) throws IOException {
    return XattrAccessor.read(Syscall.FLISTXATTR, Syscall.FGETXATTR, fd(), "", this::path, wanted);
  }

  /**
   * Sets an attribute, replacing its value.
   *
   * @throws PosixException also if the file system does not support attributes ({@link
   *     PosixException#isUnsupported})
   */
  public final void setXattr(String name, byte[] value) throws IOException {
    XattrAccessor.set(fd(), name, value, this::path);
  }

  /** Removes an attribute if it exists. */
  public final void removeXattr(String name) throws IOException {
    XattrAccessor.remove(fd(), name, this::path);
  }

  /** Returns the result unless it is an error. */
  final long check(long result, String doing) throws PosixException {
    if (result < 0) {
      throw new PosixException(doing, path(), (int) -result);
    }
    return result;
  }

  /** Closes it; has no effect if it is already closed. */
  @Override
  public final void close() throws IOException {
    int open = fd;
    if (open >= 0) {
      fd = -1;
      check(SyscallInvoker.mine().call(Syscall.CLOSE, open), "close");
    }
  }
}
