/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The mounts of one sandbox, as arguments of bubblewrap. A later mount covers an earlier one. Not
 * thread-safe.
 */
final class SandboxMounts {
  /** Bytes that a temporary folder may have; they are in memory. */
  private static final long TEMPORARY_BYTES = 1L << 30;

  private final List<String> arguments = new ArrayList<>();
  private final List<String> sealed = new ArrayList<>();

  void readOnly(Path from, Path at) {
    add("--ro-bind", from.toString(), at.toString());
  }

  void writable(Path from, Path at) {
    add("--bind", from.toString(), at.toString());
  }

  void link(String to, Path at) {
    add("--symlink", to, at.toString());
  }

  /** Mounts a new temporary folder, with a home in it. */
  void temporary(String folder, String home) {
    add("--size", Long.toString(TEMPORARY_BYTES), "--tmpfs", folder);
    add("--dir", home);
  }

  /** Mounts the processes of the sandbox, and devices without hardware. */
  void processes() {
    add("--proc", "/proc");
    // A runner that is root owns the settings of the kernel, of which some name programs to start.
    add("--ro-bind", "/proc/sys", "/proc/sys");
    add("--dev", "/dev");
  }

  /** Covers a file: opening it fails. */
  void coverFile(Path file) {
    add("--ro-bind", "/dev/null", file.toString());
  }

  /** Covers a folder by an empty one, in which later mounts can be. */
  void coverFolder(Path folder) {
    add("--perms", "0555", "--tmpfs", folder.toString());
    sealed.add(folder.toString());
  }

  /** Returns the arguments; folders that the sandbox itself has created are read-only. */
  List<String> sealed() {
    List<String> all = new ArrayList<>(arguments);
    sealed.forEach(folder -> all.addAll(List.of("--remount-ro", folder)));
    all.addAll(List.of("--remount-ro", "/"));
    return all;
  }

  private void add(String... words) {
    arguments.addAll(List.of(words));
  }
}
