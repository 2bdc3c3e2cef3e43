/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the host's processes from {@code /proc} on Linux; on other systems the list is empty. A
 * process that ends while it is read is omitted.
 */
final class ProcfsProcessReader {
  private static final Path PROC = Path.of("/proc");
  private static final int STATE = 0;
  private static final int PARENT = 1;
  private static final int GROUP = 2;
  private static final int SESSION = 3;
  private static final int START = 19;

  /**
   * @param startTicks since boot; distinguishes a process from a later one with the same pid
   */
  record Entry(long pid, long parent, long group, long session, long startTicks, boolean dead) {}

  private ProcfsProcessReader() {}

  static List<Entry> all() {
    List<Entry> all = new ArrayList<>();
    try (DirectoryStream<Path> pids =
        Files.newDirectoryStream(
            PROC, entry -> Character.isDigit(entry.getFileName().toString().charAt(0)))) {
      for (Path pid : pids) {
        entry(Long.parseLong(pid.getFileName().toString())).ifPresent(all::add);
      }
    } catch (IOException noProc) {
      return List.of();
    }
    return all;
  }

  static Optional<Entry> entry(long pid) {
    String stat;
    try {
      stat = Files.readString(file(pid, "stat"), StandardCharsets.ISO_8859_1);
    } catch (IOException ended) {
      return Optional.empty();
    }
    // The second field is the command in parentheses and may contain any character.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", START + 2);
    if (fields.length <= START) {
      return Optional.empty();
    }
    return Optional.of(
        new Entry(
            pid,
            Long.parseLong(fields[PARENT]),
            Long.parseLong(fields[GROUP]),
            Long.parseLong(fields[SESSION]),
            Long.parseLong(fields[START]),
            fields[STATE].equals("Z") || fields[STATE].equals("X")));
  }

  /** Without {@code /proc}, the JDK's view. */
  static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent()
        // A zombie is dead.
        && entry(pid).map(entry -> !entry.dead()).orElse(true);
  }

  /** Returns the BATON_ variables of its initial environment; empty when they are not readable. */
  static Map<String, String> environment(long pid) {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file(pid, "environ"));
    } catch (IOException ended) {
      return Map.of();
    }
    if (bytes.length == 0) {
      return Map.of();
    }
    return Stream.of(new String(bytes, StandardCharsets.UTF_8).split("\0"))
        .filter(pair -> pair.startsWith("BATON_") && pair.indexOf('=') > 0)
        .collect(
            Collectors.toMap(
                pair -> pair.substring(0, pair.indexOf('=')),
                pair -> pair.substring(pair.indexOf('=') + 1),
                (first, second) -> first));
  }

  /** Returns its working directory; null when it is not readable. */
  static @Nullable Path directory(long pid) {
    try {
      return Files.readSymbolicLink(file(pid, "cwd"));
    } catch (IOException ended) {
      return null;
    }
  }

  private static Path file(long pid, String name) {
    return PROC.resolve(Long.toString(pid)).resolve(name);
  }
}
