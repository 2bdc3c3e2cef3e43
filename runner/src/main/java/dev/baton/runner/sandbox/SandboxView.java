/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What all sandboxes of a runner show of its machine: programs, libraries and settings of the
 * system, without what not every user may read and without the files of the runner. Immutable.
 */
final class SandboxView {
  /**
   * All namespaces but that of the network. Not {@code --die-with-parent}: the parent of a process
   * is the thread that started it, which may end before.
   */
  static final List<String> NAMESPACES =
      List.of(
          "--unshare-user",
          "--unshare-pid",
          "--unshare-ipc",
          "--unshare-uts",
          "--unshare-cgroup-try",
          "--cap-drop",
          "ALL");

  private static final Path SETTINGS = Path.of("/etc");

  /** Folders of the system; links to folders of {@code /usr} on most distributions. */
  private static final List<Path> FOLDERS =
      List.of(
          Path.of("/usr"),
          Path.of("/bin"),
          Path.of("/sbin"),
          Path.of("/lib"),
          Path.of("/lib32"),
          Path.of("/lib64"),
          Path.of("/libx32"),
          Path.of("/opt"),
          Path.of("/nix"),
          SETTINGS,
          // How many processors and how much memory a program has.
          Path.of("/sys/devices/system/cpu"),
          Path.of("/sys/fs/cgroup"));

  /** Files of the system that may be links to other places, of the host or a container. */
  private static final List<Path> LINKED =
      List.of(SETTINGS.resolve("resolv.conf"), SETTINGS.resolve("localtime"));

  private final Path data;
  private final Set<Path> hidden;

  /**
   * @param data the data folder of the runner
   * @param hidden further files and folders that no sandbox shows
   */
  SandboxView(Path data, Set<Path> hidden) {
    this.data = data;
    this.hidden = Set.copyOf(hidden);
  }

  /** Returns the arguments of a sandbox that runs {@code true}. */
  List<String> test() throws IOException {
    SandboxMounts mounts = system();
    mounts.temporary("/tmp", "/tmp/home");
    hide(mounts);
    List<String> words = new ArrayList<>(NAMESPACES);
    words.add("--unshare-net");
    words.addAll(mounts.sealed());
    words.addAll(List.of("--chdir", "/", "--", "true"));
    return words;
  }

  /** Returns mounts with the folders of the system. */
  SandboxMounts system() throws IOException {
    SandboxMounts mounts = new SandboxMounts();
    for (Path folder : FOLDERS) {
      if (Files.isSymbolicLink(folder)) {
        mounts.link(Files.readSymbolicLink(folder).toString(), folder);
      } else if (Files.isDirectory(folder)) {
        mounts.readOnly(folder, folder);
      }
    }
    for (Path file : LINKED) {
      if (Files.isSymbolicLink(file) && Files.isRegularFile(file)) {
        show(mounts, file.toRealPath());
      }
    }
    mounts.processes();
    return mounts;
  }

  /** Shows a path of the machine unless a folder of the system contains it. */
  void show(SandboxMounts mounts, Path path) {
    boolean contained =
        FOLDERS.stream()
            .filter(folder -> Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS))
            .anyMatch(path::startsWith);
    if (!contained && Files.exists(path)) {
      mounts.readOnly(path, path);
    }
  }

  /** Covers what sandboxes must not show. */
  void hide(SandboxMounts mounts) throws IOException {
    Set<Path> covered = new TreeSet<>(HiddenFileFinder.unreadable(SETTINGS));
    covered.addAll(hidden);
    covered.add(data);
    for (Path path : covered) {
      if (covered.stream().anyMatch(other -> !other.equals(path) && path.startsWith(other))) {
        continue;
      }
      if (Files.isDirectory(path)) {
        mounts.coverFolder(path);
      } else if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
        mounts.coverFile(path);
      }
    }
  }

  /** Whether a folder contains files of the runner, or is one of them. */
  boolean isOfRunner(Path real) throws IOException {
    Path own = Files.exists(data) ? data.toRealPath() : data;
    return own.startsWith(real) || real.startsWith(own);
  }
}
