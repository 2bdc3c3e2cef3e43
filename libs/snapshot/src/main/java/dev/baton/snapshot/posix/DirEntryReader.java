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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Decodes directory records and symbolic link targets from the kernel. */
final class DirEntryReader {
  /**
   * Offset in a record: 8 bytes inode, 8 bytes position, 2 bytes length, 1 byte type, name, NUL.
   */
  private static final int LENGTH = 16;

  private static final int TYPE = 18;
  private static final int NAME = 19;

  private DirEntryReader() {}

  static List<DirEntry> read(OpenDirectory directory) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    MemorySegment io = kernel.io();
    int fd = directory.fd();
    directory.check(kernel.call(Syscall.LSEEK, fd, 0, 0), "list");
    List<DirEntry> names = new ArrayList<>();
    while (true) {
      long length = kernel.call(Syscall.GETDENTS, fd, io.address(), SyscallInvoker.IO_BYTES);
      directory.check(length, "list");
      if (length == 0) {
        return names;
      }
      for (long at = 0; at < length; ) {
        int record = io.get(ValueLayout.JAVA_SHORT, at + LENGTH) & 0xffff;
        String name = io.getString(at + NAME, StandardCharsets.ISO_8859_1);
        if (!name.equals(".") && !name.equals("..")) {
          names.add(new DirEntry(name, FileKind.ofType(io.get(ValueLayout.JAVA_BYTE, at + TYPE))));
        }
        at += record;
      }
    }
  }

  static String target(SyscallInvoker kernel, long length, String path) throws PosixException {
    if (length > RawName.MAX_TARGET) {
      throw new PosixException("read link", path, PosixException.ENAMETOOLONG);
    }
    byte[] bytes = kernel.io().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }
}
