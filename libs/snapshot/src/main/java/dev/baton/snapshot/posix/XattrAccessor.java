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
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Reads extended attributes; the kernel limits names to 255 bytes, values and the list to 64 KiB.
 * Builds error texts only for errors: this runs for every file, and most files have no attributes.
 */
final class XattrAccessor {
  private static final int MAX = 64 << 10;
  private static final int ERANGE = 34;
  private static final int E2BIG = 7;

  private XattrAccessor() {}

  /** Reads the attributes of an open file or, if a path is given, of the file at the path. */
  static SortedMap<String, byte[]> read(
      Syscall list,
      Syscall get,
      long fd,
      String path,
      Supplier<String> shown,
      Predicate<String> wanted)
      throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    MemorySegment io = kernel.io();
    long who = path.isEmpty() ? fd : kernel.first(path);
    long length = kernel.call(list, who, io.address(), MAX);
    if (length == 0 || length == -PosixException.EOPNOTSUPP) {
      return Collections.emptySortedMap();
    }
    check(length, "list the attributes of", shown);
    String names =
        new String(
            io.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.ISO_8859_1);
    SortedMap<String, byte[]> found = new TreeMap<>();
    for (int from = 0; from < names.length(); ) {
      int end = names.indexOf('\0', from);
      String name = names.substring(from, end < 0 ? names.length() : end);
      from += name.length() + 1;
      if (wanted.test(name)) {
        long size = kernel.call(get, who, kernel.second(name), io.address(), MAX);
        // Removed since it was listed, or larger than any value that can be set.
        if (size != -PosixException.ENODATA && size != -ERANGE && size != -E2BIG) {
          check(size, "read attribute " + RawName.display(name) + " of", shown);
          found.put(name, io.asSlice(0, size).toArray(ValueLayout.JAVA_BYTE));
        }
      }
    }
    return found;
  }

  static void set(int fd, String name, byte[] value, Supplier<String> shown) throws IOException {
    if (value.length > MAX) {
      throw new IllegalArgumentException(
          "attribute of %d bytes; at most %d are allowed".formatted(value.length, MAX));
    }
    SyscallInvoker kernel = SyscallInvoker.mine();
    MemorySegment io = kernel.io();
    MemorySegment.copy(value, 0, io, ValueLayout.JAVA_BYTE, 0, value.length);
    check(
        kernel.call(
            Syscall.FSETXATTR, fd, kernel.first(RawName.checked(name)), io.address(), value.length),
        "set attribute " + RawName.display(name) + " of",
        shown);
  }

  static void remove(long fd, String name, Supplier<String> shown) throws IOException {
    SyscallInvoker kernel = SyscallInvoker.mine();
    long result = kernel.call(Syscall.FREMOVEXATTR, fd, kernel.first(RawName.checked(name)), 0);
    if (result != -PosixException.ENODATA) {
      check(result, "remove attribute " + RawName.display(name) + " of", shown);
    }
  }

  private static void check(long result, String doing, Supplier<String> shown)
      throws PosixException {
    if (result < 0) {
      throw new PosixException(doing, shown.get(), (int) -result);
    }
  }
}
