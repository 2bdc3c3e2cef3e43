/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.posix;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Invokes system calls with the native memory of this thread: one instance per thread, used only by
 * that thread.
 *
 * <p>All calls use libc's {@code syscall}, whose arguments are all words: one function has to be
 * linked at start instead of twenty, and linking dominates the start time.
 */
final class SyscallInvoker {
  static final CpuArchitecture ARCH = CpuArchitecture.current();
  static final int IO_BYTES = 256 << 10;

  private static final int EINTR = 4;
  private static final int PATH_BYTES = 4352;
  private static final StructLayout STATE = Linker.Option.captureStateLayout();
  private static final long ERRNO =
      STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
  private static final MethodHandle SYSCALL = link();
  private static final long[] NUMBERS = numbers();
  private static final ThreadLocal<SyscallInvoker> LOCAL =
      ThreadLocal.withInitial(SyscallInvoker::new);

  private final MemorySegment state;
  private final MemorySegment memory;

  /** Addresses of the first name, the second name, and a small structure. */
  private final long first;

  private final long second;
  private final long struct;

  private @Nullable MemorySegment io;

  private SyscallInvoker() {
    Arena arena = Arena.ofAuto();
    state = arena.allocate(STATE);
    memory = arena.allocate(2L * PATH_BYTES + 256, 16);
    first = memory.address();
    second = first + PATH_BYTES;
    struct = second + PATH_BYTES;
  }

  static SyscallInvoker mine() {
    return LOCAL.get();
  }

  private static MethodHandle link() {
    Linker linker = Linker.nativeLinker();
    ValueLayout.OfLong word = ValueLayout.JAVA_LONG;
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("syscall"),
        FunctionDescriptor.of(word, word, word, word, word, word, word),
        Linker.Option.firstVariadicArg(1),
        Linker.Option.captureCallState("errno"));
  }

  private static long[] numbers() {
    Syscall[] calls = Syscall.values();
    long[] numbers = new long[calls.length];
    for (int i = 0; i < calls.length; i++) {
      numbers[i] = calls[i].number(ARCH);
    }
    return numbers;
  }

  /** Returns the result, or the negated error number. Repeats interrupted calls. */
  long call(Syscall call, long a, long b, long c, long d, long e) {
    long number = NUMBERS[call.ordinal()];
    while (true) {
      long result;
      try {
        result = (long) SYSCALL.invokeExact(state, number, a, b, c, d, e);
      } catch (Throwable t) {
        throw new AssertionError(t);
      }
      if (result >= 0) {
        return result;
      }
      int errno = state.get(ValueLayout.JAVA_INT, ERRNO);
      // A file is closed even if the call was interrupted.
      if (errno != EINTR || call == Syscall.CLOSE) {
        return -errno;
      }
    }
  }

  long call(Syscall call, long a, long b, long c, long d) {
    return call(call, a, b, c, d, 0);
  }

  long call(Syscall call, long a, long b, long c) {
    return call(call, a, b, c, 0, 0);
  }

  long call(Syscall call, long a) {
    return call(call, a, 0, 0, 0, 0);
  }

  /**
   * Copies these bytes and a final NUL to native memory and returns the address; at most 4,351
   * bytes.
   */
  long first(String raw) {
    memory.setString(0, raw, StandardCharsets.ISO_8859_1);
    return first;
  }

  /** Like {@link #first(String)}, for a range of an array. */
  long first(byte[] raw, int from, int to) {
    int length = to - from;
    if (length >= PATH_BYTES) {
      throw new IllegalArgumentException("a name of %d bytes".formatted(length));
    }
    MemorySegment.copy(raw, from, memory, ValueLayout.JAVA_BYTE, 0, length);
    memory.set(ValueLayout.JAVA_BYTE, length, (byte) 0);
    return first;
  }

  /** Like {@link #first(String)}, in a second buffer. */
  long second(String raw) {
    memory.setString(PATH_BYTES, raw, StandardCharsets.ISO_8859_1);
    return second;
  }

  /** Returns the address of 256 bytes, aligned. */
  long struct() {
    return struct;
  }

  int structInt(long offset) {
    return memory.get(ValueLayout.JAVA_INT, 2L * PATH_BYTES + offset);
  }

  int structShort(long offset) {
    return memory.get(ValueLayout.JAVA_SHORT, 2L * PATH_BYTES + offset) & 0xffff;
  }

  long structLong(long offset) {
    return memory.get(ValueLayout.JAVA_LONG, 2L * PATH_BYTES + offset);
  }

  void putStructLong(long offset, long value) {
    memory.set(ValueLayout.JAVA_LONG, 2L * PATH_BYTES + offset, value);
  }

  /** Returns a buffer of {@link #IO_BYTES} bytes, allocated at the first use. */
  MemorySegment io() {
    MemorySegment buffer = io;
    if (buffer == null) {
      buffer = Arena.ofAuto().allocate(IO_BYTES, 16);
      io = buffer;
    }
    return buffer;
  }
}
