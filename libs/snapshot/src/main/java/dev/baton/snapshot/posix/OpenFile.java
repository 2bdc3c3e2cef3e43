/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** An open regular file. */
public final class OpenFile extends FileHandle {
  private static final int SEEK_DATA = 3;
  private static final int SEEK_HOLE = 4;

  /** Writes use pieces of this size, which stay in the processor's cache. */
  private static final int PIECE = SyscallInvoker.IO_BYTES;

  private final OpenDirectory directory;
  private final String name;

  OpenFile(int fd, OpenDirectory directory, String name) {
    super(fd);
    this.directory = directory;
    this.name = name;
  }

  @Override
  public String path() {
    return directory.path(name);
  }

  /**
   * Reads from the current position.
   *
   * @return the number of bytes; less than {@code length} only at the end of the file
   */
  public int read(byte[] into, int offset, int length) throws IOException {
    return read(Syscall.READ, 0, into, offset, length);
  }

  /** Like {@link #read}, from this position. */
  public int readAt(long position, byte[] into, int offset, int length) throws IOException {
    return read(Syscall.PREAD, position, into, offset, length);
  }

  private int read(Syscall call, long position, byte[] into, int offset, int length)
      throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    MemorySegment io = kernel.io();
    int done = 0;
    while (done < length) {
      int ask = Math.min(length - done, PIECE);
      long got = kernel.call(call, fd(), io.address(), ask, position + done);
      check(got, "read");
      if (got == 0) {
        break;
      }
      MemorySegment.copy(io, ValueLayout.JAVA_BYTE, 0, into, offset + done, (int) got);
      done += (int) got;
    }
    return done;
  }

  /** Writes all bytes at the current position. */
  public void write(byte[] from, int offset, int length) throws IOException {
    write(Syscall.WRITE, 0, from, offset, length);
  }

  /** Writes all bytes at this position; a gap before it becomes a hole. */
  public void writeAt(long position, byte[] from, int offset, int length) throws IOException {
    write(Syscall.PWRITE, position, from, offset, length);
  }

  private void write(Syscall call, long position, byte[] from, int offset, int length)
      throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    MemorySegment io = kernel.io();
    int done = 0;
    while (done < length) {
      int ask = Math.min(length - done, PIECE);
      MemorySegment.copy(from, offset + done, io, ValueLayout.JAVA_BYTE, 0, ask);
      done += (int) check(kernel.call(call, fd(), io.address(), ask, position + done), "write");
    }
  }

  /** Truncates the file, or extends it by a hole. */
  public void truncate(long size) throws IOException {
    check(SyscallInvoker.mine().call(Syscall.FTRUNCATE, fd(), size, 0), "set the size of");
  }

  /**
   * Returns where the next data starts, at or after this position; -1 if only a hole or the end
   * follows.
   */
  public long seekData(long position) throws IOException {
    return seek(position, SEEK_DATA);
  }

  /**
   * Returns where the next hole starts, at or after this position (the end of the file counts as
   * one); -1 if the position is beyond the end.
   */
  public long seekHole(long position) throws IOException {
    return seek(position, SEEK_HOLE);
  }

  private long seek(long position, int whence) throws IOException {
    long found = SyscallInvoker.mine().call(Syscall.LSEEK, fd(), position, whence);
    return found == -PosixException.ENXIO ? -1 : check(found, "find holes in");
  }

  /**
   * Sets the current position of {@link #read} and {@link #write}; a search for holes changes it,
   * too.
   */
  public void seek(long position) throws IOException {
    check(SyscallInvoker.mine().call(Syscall.LSEEK, fd(), position, 0), "seek in");
  }
}
