/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.locale;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Restarts a JVM that was started in a locale without UTF-8, by {@code execve} of itself with a
 * corrected environment.
 *
 * <p>The JVM uses the locale's character set to decode arguments and to encode environments,
 * arguments of child processes, and file names. It reads that set once, at startup, and no option
 * changes it. With {@code LC_ALL=C}, as under cron, in a systemd unit or in a bare container, every
 * non-ASCII character becomes a question mark. {@code execve} keeps the process id, the open
 * standard streams and the raw bytes of the arguments; child processes inherit the corrected
 * environment.
 *
 * <p>Thread-safe. Must be the first call in {@code main}.
 */
public final class Utf8LocaleGuard {
  /** {@code EX_CONFIG} of {@code sysexits.h}. */
  public static final int EXIT_CODE = 78;

  private static final Path ARGUMENTS = Path.of("/proc/self/cmdline");
  private static final Path ENVIRONMENT = Path.of("/proc/self/environ");
  private static final String PROGRAM = "/proc/self/exe";

  private Utf8LocaleGuard() {}

  /**
   * Returns at once where the locale's character set is UTF-8. Otherwise replaces this process by
   * one with {@code LC_ALL=C.UTF-8} (or {@code LC_CTYPE}, see {@link Utf8EnvironmentRewriter}); if
   * that fails, prints the cause to standard error and exits with {@link #EXIT_CODE}.
   */
  public static void require() {
    String charset = System.getProperty("sun.jnu.encoding", "");
    if (charset.equalsIgnoreCase("UTF-8")) {
      return;
    }
    System.err.println(refusal(charset, restart()));
    System.exit(EXIT_CODE);
  }

  /** Does not return on success; on failure returns the cause. */
  private static String restart() {
    try {
      List<byte[]> before = split(Files.readAllBytes(ENVIRONMENT));
      List<byte[]> after = Utf8EnvironmentRewriter.corrected(before);
      if (Utf8EnvironmentRewriter.isSame(before, after)) {
        return "this system has no locale C.UTF-8";
      }
      return execute(split(Files.readAllBytes(ARGUMENTS)), after);
    } catch (IOException e) {
      return "this system does not let a process read its own arguments: " + e;
    }
  }

  private static String refusal(String charset, String cause) {
    return "locale: its character set is %s, not UTF-8; start with LC_ALL=C.UTF-8 or another UTF-8 locale: %s"
        .formatted(charset, cause);
  }

  /** Calls {@code execve(2)}; returns the cause if it fails. */
  private static String execute(List<byte[]> arguments, List<byte[]> environment) {
    try (Arena arena = Arena.ofConfined()) {
      Linker linker = Linker.nativeLinker();
      MethodHandle execve =
          linker.downcallHandle(
              linker.defaultLookup().find("execve").orElseThrow(),
              FunctionDescriptor.of(
                  ValueLayout.JAVA_INT,
                  ValueLayout.ADDRESS,
                  ValueLayout.ADDRESS,
                  ValueLayout.ADDRESS),
              Linker.Option.captureCallState("errno"));
      var state = Linker.Option.captureStateLayout();
      MemorySegment errno = arena.allocate(state);
      int unused =
          (int)
              execve.invokeExact(
                  errno,
                  arena.allocateFrom(PROGRAM),
                  pointers(arguments, arena),
                  pointers(environment, arena));
      int code =
          (int) state.varHandle(MemoryLayout.PathElement.groupElement("errno")).get(errno, 0L);
      return "execve failed with errno " + code;
    } catch (Throwable e) {
      // Thrown by the method handle; with any of them the process cannot be replaced.
      return "execve cannot be called: " + e;
    }
  }

  private static MemorySegment pointers(List<byte[]> texts, Arena arena) {
    MemorySegment array = arena.allocate(ValueLayout.ADDRESS, texts.size() + 1L);
    for (int i = 0; i < texts.size(); i++) {
      byte[] text = texts.get(i);
      MemorySegment copy = arena.allocate(text.length + 1L);
      MemorySegment.copy(text, 0, copy, ValueLayout.JAVA_BYTE, 0, text.length);
      array.setAtIndex(ValueLayout.ADDRESS, i, copy);
    }
    return array;
  }

  /** Splits the content of a {@code /proc} file into its zero-terminated texts. */
  static List<byte[]> split(byte[] texts) {
    List<byte[]> parts = new ArrayList<>();
    int start = 0;
    for (int i = 0; i < texts.length; i++) {
      if (texts[i] == 0) {
        parts.add(java.util.Arrays.copyOfRange(texts, start, i));
        start = i + 1;
      }
    }
    return parts;
  }
}
