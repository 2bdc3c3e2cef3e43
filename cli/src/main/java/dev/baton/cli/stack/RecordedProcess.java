/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.stack;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A process as recorded in {@code stack.json}. A pid alone may meanwhile belong to another process.
 *
 * @param pid 0 when none is recorded
 * @param started the boot's id and the process's start in ticks since then, as written by the
 *     supervisor
 */
record RecordedProcess(long pid, String started) {
  private static final Path PROC = Path.of("/proc");
  private static final int BOOT_DIGITS = 8;
  private static final int STATE = 0;
  // Field 22 of /proc/PID/stat, counted from the field after the command's closing bracket.
  private static final int START_TIME = 19;

  /** Whether exactly this process is alive; false for a zombie. */
  boolean isAlive() {
    if (pid <= 0) {
      return false;
    }
    if (!Files.exists(PROC.resolve("self/stat"))) {
      return ProcessHandle.of(pid)
          .filter(ProcessHandle::isAlive)
          .map(handle -> handle.info().startInstant().map(Object::toString).orElse(""))
          .filter(started::equals)
          .isPresent();
    }
    try {
      String stat = Files.readString(PROC.resolve(pid + "/stat"));
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      boolean ended = fields[STATE].equals("Z") || fields[STATE].equals("X");
      return !ended && started.equals(boot() + "/" + fields[START_TIME]);
    } catch (IOException _) {
      // The file disappears with the process, possibly in the middle of the read.
      return false;
    }
  }

  /**
   * Returns the boot id; empty if the system has none, as in some containers. The supervisor does
   * the same.
   */
  private static String boot() throws IOException {
    try {
      return Files.readString(PROC.resolve("sys/kernel/random/boot_id")).substring(0, BOOT_DIGITS);
    } catch (NoSuchFileException _) {
      return "";
    }
  }
}
