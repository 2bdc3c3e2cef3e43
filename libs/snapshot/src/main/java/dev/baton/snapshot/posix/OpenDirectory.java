/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An open directory that resolves its children: raw names (bytes, one per char), one component
 * each. So no path is too long, no process can replace a component of a path by a link, and a
 * directory that is renamed stays accessible. No link is followed, nothing is overwritten.
 *
 * <p>Thread-safe, except {@link #list} (one thread at a time); it must not be closed while another
 * thread uses it. An invalid child name (empty, {@code ..}, with a slash or NUL, over 255 bytes) is
 * an IllegalArgumentException. All other failures are a {@link PosixException}.
 */
public final class OpenDirectory extends FileHandle {
  private static final int O_WRONLY = 1;
  private static final int O_RDWR = 2;
  private static final int O_CREAT = 0100;
  private static final int O_EXCL = 0200;
  private static final int O_NOCTTY = 0400;
  private static final int O_NONBLOCK = 04000;
  private static final int O_CLOEXEC = 02000000;
  private static final int O_PATH = 010000000;
  private static final int O_NOFOLLOW = SyscallInvoker.ARCH.oNoFollow;
  private static final int O_DIRECTORY = SyscallInvoker.ARCH.oDirectory;
  private static final int ENTER = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK;
  private static final int AT_REMOVEDIR = 0x200;

  private final @Nullable OpenDirectory parent;
  private final String name;

  private OpenDirectory(int fd, @Nullable OpenDirectory parent, String name) {
    super(fd);
    this.parent = parent;
    this.name = name;
  }

  /**
   * Opens a directory by its path; the last component must not be a link.
   *
   * @throws PosixException if it is missing, not a directory, or not readable
   */
  public static OpenDirectory open(Path path) throws IOException {
    return openRaw(RawName.ofPath(path));
  }

  /** Like {@link #open(Path)}, for an absolute path in raw bytes. */
  public static OpenDirectory openRaw(String raw) throws IOException {
    if (raw.length() > RawName.MAX_TARGET) {
      throw new PosixException("open", RawName.display(raw), PosixException.ENAMETOOLONG);
    }
    SyscallInvoker kernel = SyscallInvoker.mine();
    long fd = kernel.call(Syscall.OPENAT, AT_FDCWD, kernel.first(raw), ENTER, 0);
    if (fd < 0) {
      throw new PosixException("open directory", RawName.display(raw), (int) -fd);
    }
    return new OpenDirectory((int) fd, null, raw);
  }

  @Override
  public String path() {
    return RawName.display(rawPath().toString());
  }

  String path(String child) {
    return RawName.display(rawPath().append('/').append(child).toString());
  }

  /** Returns the path with which it was opened, raw. */
  public String raw() {
    return rawPath().toString();
  }

  private StringBuilder rawPath() {
    OpenDirectory above = parent;
    return above == null ? new StringBuilder(name) : above.rawPath().append('/').append(name);
  }

  /** Opens a child directory; this one stays open. */
  public OpenDirectory openChild(String child) throws IOException {
    return new OpenDirectory((int) open("open directory", child, ENTER, 0), this, child);
  }

  /** Lists all names except {@code .} and {@code ..}, unordered. */
  public List<DirEntry> list() throws IOException {
    return DirEntryReader.read(this);
  }

  /** Reads the attributes of the child; of a link itself, not of its target. */
  public void stat(String child, StatBuffer into) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    check(
        statx(kernel, fd(), kernel.first(RawName.checked(child)), AT_SYMLINK_NOFOLLOW),
        "stat",
        child);
    into.fill(kernel);
  }

  /** Like {@link #stat}, but returns false if the child is missing. */
  public boolean statIfPresent(String child, StatBuffer into) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    long result = statx(kernel, fd(), kernel.first(RawName.checked(child)), AT_SYMLINK_NOFOLLOW);
    if (result == -PosixException.ENOENT) {
      return false;
    }
    check(result, "stat", child);
    into.fill(kernel);
    return true;
  }

  /**
   * Like {@link #statIfPresent(String, StatBuffer)}, for a child whose name is a part of this
   * array: for callers that store many names in one array. The name must come from a listing.
   */
  public boolean statIfPresent(byte[] names, int from, int to, StatBuffer into) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    long path = kernel.first(names, from, to);
    long result = statx(kernel, fd(), path, AT_SYMLINK_NOFOLLOW);
    if (result == -PosixException.ENOENT) {
      return false;
    }
    if (result < 0) {
      check(result, "stat", new String(names, from, to - from, StandardCharsets.ISO_8859_1));
    }
    into.fill(kernel);
    return true;
  }

  /**
   * Opens a regular file. Never blocks, even if another kind of file has replaced it.
   *
   * @param stat receives the attributes of the opened file
   * @throws NotRegularException if it is not, or no longer, a regular file
   */
  public OpenFile openForReading(String child, StatBuffer stat) throws IOException {
    long fd;
    try {
      fd = open("open", child, O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
    } catch (PosixException e) {
      if (e.isLink() || e.errno() == PosixException.ENXIO) {
        throw new NotRegularException(path(child));
      }
      throw e;
    }
    OpenFile file = new OpenFile((int) fd, this, child);
    boolean good = false;
    try {
      file.stat(stat);
      good = stat.kind() == FileKind.FILE;
    } finally {
      if (!good) {
        file.close();
      }
    }
    if (!good) {
      throw new NotRegularException(path(child));
    }
    return file;
  }

  /** Creates a new file for writing (and reading). The umask applies to the mode. */
  public OpenFile create(String child, int permissions) throws IOException {
    int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    return new OpenFile((int) open("create", child, flags, permissions), this, child);
  }

  /** Opens an existing regular file for writing; its content is kept. */
  public OpenFile openForWriting(String child) throws IOException {
    int flags = O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    return new OpenFile((int) open("open for writing", child, flags, 0), this, child);
  }

  private long open(String doing, String child, int flags, int permissions) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    long path = kernel.first(RawName.checked(child));
    return check(kernel.call(Syscall.OPENAT, fd(), path, flags, permissions), doing, child);
  }

  /** Creates a directory; the umask applies to the mode. */
  public void mkdir(String child, int permissions) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    long path = kernel.first(RawName.checked(child));
    check(kernel.call(Syscall.MKDIRAT, fd(), path, permissions), "make directory", child);
  }

  /** Creates a symbolic link; the target is any 1 to 4095 bytes except NUL. */
  public void symlink(String child, String target) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    long path = kernel.first(RawName.checked(child));
    long to = kernel.second(RawName.checkedTarget(target));
    check(kernel.call(Syscall.SYMLINKAT, to, fd(), path), "create symbolic link", child);
  }

  /** Creates a hard link here to a child of another directory. A link is not followed. */
  public void link(OpenDirectory from, String existing, String child) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    long old = kernel.first(RawName.checked(existing));
    long path = kernel.second(RawName.checked(child));
    check(kernel.call(Syscall.LINKAT, from.fd(), old, fd(), path, 0), "create hard link", child);
  }

  /** Removes a name that is not a directory. */
  public void unlink(String child) throws IOException {
    remove(child, 0);
  }

  /** Removes an empty directory. */
  public void rmdir(String child) throws IOException {
    remove(child, AT_REMOVEDIR);
  }

  private void remove(String child, int flags) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    long path = kernel.first(RawName.checked(child));
    check(kernel.call(Syscall.UNLINKAT, fd(), path, flags), "remove", child);
  }

  /** Moves a child to another directory (or this one); replaces an existing child of that name. */
  public void rename(String child, OpenDirectory to, String newName) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    long old = kernel.first(RawName.checked(child));
    long path = kernel.second(RawName.checked(newName));
    check(kernel.call(Syscall.RENAMEAT2, fd(), old, to.fd(), path, 0), "rename", child);
  }

  /** Returns the target of a symbolic link, raw. */
  public String readlink(String child) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    return DirEntryReader.target(
        kernel,
        check(
            kernel.call(
                Syscall.READLINKAT,
                fd(),
                kernel.first(RawName.checked(child)),
                kernel.io().address(),
                RawName.MAX_TARGET + 1),
            "read link",
            child),
        path(child));
  }

  /** Sets exactly these twelve bits of a child that is not a link, even if it cannot be opened. */
  public void chmod(String child, int permissions) throws IOException {
    try (OpenFile held =
        new OpenFile((int) open("open", child, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0), this, child)) {
      SyscallInvoker kernel = SyscallInvoker.mine();
      long path = kernel.first("/proc/self/fd/" + held.fd());
      check(kernel.call(Syscall.FCHMODAT, AT_FDCWD, path, permissions), "set the mode of", child);
    }
  }

  /** Like {@link FileHandle#chown}; of a link itself, not of its target. */
  public void chown(String child, int uid, int gid) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    long path = kernel.first(RawName.checked(child));
    check(
        kernel.call(
            Syscall.FCHOWNAT,
            fd(),
            path,
            uid & 0xffffffffL,
            gid & 0xffffffffL,
            AT_SYMLINK_NOFOLLOW),
        "set the owner of",
        child);
  }

  /** Like {@link FileHandle#setModified}; of a link itself, not of its target. */
  public void setModified(String child, long seconds, int nanos) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    putTimes(kernel, seconds, nanos);
    long path = kernel.first(RawName.checked(child));
    check(
        kernel.call(Syscall.UTIMENSAT, fd(), path, kernel.struct(), AT_SYMLINK_NOFOLLOW),
        "set the time of",
        child);
  }

  /** Like {@link FileHandle#xattrs(Predicate)}, of a child that need not be readable. */
  public SortedMap<String, byte[]> xattrs(String child, Predicate<String> wanted)
      throws IOException {
    String path = "/proc/self/fd/" + fd() + "/" + RawName.checked(child);
    return XattrAccessor.read(
        Syscall.LLISTXATTR, Syscall.LGETXATTR, 0, path, () -> path(child), wanted);
  }

  private long check(long result, String doing, String child) throws PosixException {
    if (result < 0) {
      throw new PosixException(doing, path(child), (int) -result);
    }
    return result;
  }
}
