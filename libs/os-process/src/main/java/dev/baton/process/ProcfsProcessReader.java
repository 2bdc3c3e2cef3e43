/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.process;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reads the host's processes from {@code /proc} on Linux; on other systems there are none. A
 * process that ends while it is read, or whose files belong to another user, is omitted.
 */
public final class ProcfsProcessReader {
  private static final Path PROC = Path.of("/proc");
  // Positions after the command's closing bracket.
  private static final int PARENT = 1;
  private static final int GROUP = 2;
  private static final int SESSION = 3;
  private static final int USER_TICKS = 11;
  private static final int SYSTEM_TICKS = 12;
  private static final int START = 19;
  private static final int ENVIRONMENT_START = 47;
  private static final int ENVIRONMENT_END = 48;

  private static final int FIRST_READ = 16 << 10;

  /** Over 50 numbers of at most 20 digits, and a command of at most 64 bytes. */
  private static final int MAX_STAT = 2 << 10;

  private static final int MAX_COMMAND = 64 << 10;
  private static final int MAX_ENVIRONMENT = 4 << 20;

  /**
   * How long a process may be within {@code execve()} before it counts as one without variables.
   */
  private static final Duration MAX_EXEC = Duration.ofMillis(200);

  private static final String NO_ADDRESS = "0";
  private static final Duration EXEC_POLL = Duration.ofMillis(1);

  private ProcfsProcessReader() {}

  /** Whether this system has {@code /proc}. */
  public static boolean isSupported() {
    return Files.exists(PROC.resolve("self/stat"));
  }

  /** Returns all processes, also dead ones. */
  public static List<ProcessEntry> all() {
    String[] names = PROC.toFile().list();
    if (names == null) {
      return List.of();
    }
    List<ProcessEntry> all = new ArrayList<>(names.length);
    for (String name : names) {
      char first = name.charAt(0);
      if (first >= '1' && first <= '9') {
        entry(Long.parseLong(name)).ifPresent(all::add);
      }
    }
    return all;
  }

  /** Returns one process, also a dead one; empty if there is none with that pid. */
  public static Optional<ProcessEntry> entry(long pid) {
    String stat = read(pid, "stat", MAX_STAT, StandardCharsets.ISO_8859_1);
    int at = fields(stat);
    if (at >= stat.length()) {
      return Optional.empty();
    }
    char state = stat.charAt(at);
    // Of all processes, and after every step: without an array of texts.
    long[] numbers = new long[START + 1];
    at = stat.indexOf(' ', at) + 1;
    for (int field = PARENT; field <= START; field++) {
      int end = stat.indexOf(' ', at);
      if (at == 0 || end < 0) {
        return Optional.empty();
      }
      if (field <= SESSION || field == START) {
        numbers[field] = Long.parseLong(stat, at, end, 10);
      }
      at = end + 1;
    }
    return Optional.of(
        new ProcessEntry(
            pid, numbers[PARENT], numbers[GROUP], numbers[SESSION], numbers[START], state));
  }

  /**
   * Returns where the fields after the command begin. It is the second one, in parentheses, and may
   * contain any character.
   */
  private static int fields(String stat) {
    return stat.lastIndexOf(')') + 2;
  }

  /** Returns the fields after the command; empty when the process does not exist. */
  private static String[] stat(long pid) {
    String stat = read(pid, "stat", MAX_STAT, StandardCharsets.ISO_8859_1);
    return stat.isEmpty() ? new String[0] : stat.substring(fields(stat)).split(" ");
  }

  /**
   * Returns the processor time of those threads of this process whose names have this prefix.
   *
   * @param prefix up to 15 bytes: the kernel keeps no more of a name
   * @return ticks of the kernel, mostly 100 in a second; empty when there are no such threads, or
   *     they are not readable
   */
  public static OptionalLong threadTicks(String prefix) {
    long self = ProcessHandle.current().pid();
    String[] threads = file(self, "task").toFile().list();
    boolean found = false;
    long sum = 0;
    for (String thread : threads == null ? new String[0] : threads) {
      String stat = read(self, "task/" + thread + "/stat", MAX_STAT, StandardCharsets.ISO_8859_1);
      if (stat.startsWith(prefix, stat.indexOf('(') + 1)) {
        String[] numbers = stat.substring(fields(stat)).split(" ");
        sum += Long.parseLong(numbers[USER_TICKS]) + Long.parseLong(numbers[SYSTEM_TICKS]);
        found = true;
      }
    }
    return found ? OptionalLong.of(sum) : OptionalLong.empty();
  }

  /** Whether a process with this pid is alive; false for a zombie. */
  public static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent()
        && entry(pid).map(entry -> !entry.isDead()).orElse(true);
  }

  /**
   * Returns the variables of its initial environment whose names have this prefix; empty when they
   * are not readable. Of a repeated name the first applies.
   */
  public static Map<String, String> environment(long pid, String prefix) {
    Map<String, String> variables = new HashMap<>();
    for (String pair : pairs(pid)) {
      int equals = pair.indexOf('=');
      if (equals > 0 && pair.startsWith(prefix)) {
        variables.putIfAbsent(pair.substring(0, equals), pair.substring(equals + 1));
      }
    }
    return variables;
  }

  /**
   * Whether its initial environment has all these variables.
   *
   * @param marks {@code NAME=value} pairs
   */
  public static boolean hasVariables(long pid, Collection<String> marks) {
    return new HashSet<>(pairs(pid)).containsAll(marks);
  }

  private static List<String> pairs(long pid) {
    String text = readEnvironment(pid);
    if (text.isEmpty()) {
      text = awaitEnvironment(pid);
    }
    return Arrays.asList(text.split("\0"));
  }

  /**
   * Reads the variables of a process that seems to have none. Within {@code execve()} the kernel
   * shows none of any process; a search for orphans that takes place then must not miss it.
   */
  private static String awaitEnvironment(long pid) {
    long end = System.nanoTime() + MAX_EXEC.toNanos();
    List<String> before = environmentRange(pid);
    while (true) {
      String text = readEnvironment(pid);
      List<String> after = environmentRange(pid);
      boolean isInExec = after.contains(NO_ADDRESS) && program(pid) != null;
      if (!text.isEmpty() || before.equals(after) && !isInExec || System.nanoTime() - end >= 0) {
        return text;
      }
      LockSupport.parkNanos(EXEC_POLL.toNanos());
      before = after;
    }
  }

  /**
   * Returns the first and last address of its variables, {@value #NO_ADDRESS} within {@code
   * execve()} and for a thread of the kernel; empty when the process does not exist.
   */
  private static List<String> environmentRange(long pid) {
    String[] fields = stat(pid);
    return fields.length <= ENVIRONMENT_END
        ? List.of()
        : List.of(fields[ENVIRONMENT_START], fields[ENVIRONMENT_END]);
  }

  /** Returns its variables, each ended by a zero; empty when they are not readable. */
  private static String readEnvironment(long pid) {
    return read(pid, "environ", MAX_ENVIRONMENT, StandardCharsets.UTF_8);
  }

  /**
   * Returns a file of a process, cut at {@code max} bytes; empty when it is not readable. Takes it
   * with one system call: of a process that executes another program between two calls, the second
   * returns nothing.
   */
  private static String read(long pid, String name, int max, Charset charset) {
    try (FileChannel file = FileChannel.open(file(pid, name), StandardOpenOption.READ)) {
      int size = Math.min(max, FIRST_READ);
      while (true) {
        ByteBuffer bytes = ByteBuffer.allocate(size);
        if (file.read(bytes, 0) < size || size == max) {
          return new String(bytes.array(), 0, bytes.position(), charset);
        }
        size = Math.min(max, size * 2);
      }
    } catch (IOException ended) {
      return "";
    }
  }

  /**
   * Returns the words of its command, up to 64 KiB; a program can have replaced them by a title.
   * Empty when they are not readable, for a zombie and for a thread of the kernel.
   */
  public static List<String> arguments(long pid) {
    String text = read(pid, "cmdline", MAX_COMMAND, StandardCharsets.UTF_8);
    // A title that is shorter than the command was leaves zeros behind it.
    String words = text.replaceFirst("\0+$", "");
    return words.isEmpty() ? List.of() : List.of(words.split("\0", -1));
  }

  /** Returns its working directory; null when it is not readable. */
  public static @Nullable Path directory(long pid) {
    return link(pid, "cwd");
  }

  /** Returns the file of its program; null when it is not readable. */
  public static @Nullable Path program(long pid) {
    return link(pid, "exe");
  }

  private static @Nullable Path link(long pid, String name) {
    try {
      return Files.readSymbolicLink(file(pid, name));
    } catch (IOException ended) {
      return null;
    }
  }

  private static Path file(long pid, String name) {
    return Path.of("/proc/" + pid + "/" + name);
  }
}
