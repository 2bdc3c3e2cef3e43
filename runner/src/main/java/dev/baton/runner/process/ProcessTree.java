/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import dev.baton.runner.lease.RunLease;
import dev.baton.snapshot.posix.ProcessSuspender;
import dev.baton.snapshot.threads.ThreadJoiner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jboss.logging.Logger;

/**
 * Finds and signals all processes that one step started: its session, its descendants, and on Linux
 * also those that left the session, identified by the step's marks in their environment.
 */
final class ProcessTree implements RunLease.Suspendable {
  private static final Logger LOG = Logger.getLogger(ProcessTree.class);
  private static final Path PROC = Path.of("/proc");
  private static final int MAX_ROUNDS = 50;
  private static final int SESSION_FIELD = 3;

  private final ProcessHandle root;
  private final Set<String> marks;

  /**
   * @param root the step's first process, leader of its session
   * @param marks {@code NAME=value} pairs; only processes of this attempt have all of them
   */
  ProcessTree(ProcessHandle root, Set<String> marks) {
    this.root = root;
    this.marks = marks;
  }

  /** Sends SIGTERM to all of them. */
  void terminate() {
    members().forEach(ProcessHandle::destroy);
  }

  /**
   * Kills all of them, and those they start meanwhile. Bounded: gives up with a warning after 50
   * rounds.
   *
   * @return how many were killed
   */
  int kill() throws InterruptedException {
    Set<ProcessHandle> killed = new HashSet<>();
    for (int round = 0; round < MAX_ROUNDS; round++) {
      Set<ProcessHandle> alive = members();
      if (alive.isEmpty()) {
        return killed.size();
      }
      killed.addAll(alive);
      alive.forEach(ProcessHandle::destroyForcibly);
      // Killed processes need a moment to disappear.
      TimeUnit.MILLISECONDS.sleep(Math.min(2L * round, 50));
    }
    LOG.warnf("processes of the step of process %d do not end: %s", root.pid(), members());
    return killed.size();
  }

  /**
   * Stops all of them, and those they start meanwhile, until two consecutive scans find the same
   * processes, all stopped. Bounded like {@link #kill}.
   */
  @Override
  public void suspend() {
    Set<ProcessHandle> before = Set.of();
    for (int round = 0; round < MAX_ROUNDS; round++) {
      Set<ProcessHandle> alive = members();
      boolean all = alive.stream().allMatch(process -> isStopped(process.pid()));
      if (all && alive.equals(before)) {
        return;
      }
      before = all ? alive : Set.of();
      alive.forEach(ProcessTree::stop);
      // A process that was running at that instant stops a moment later.
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(Math.min(round, 20)));
    }
    LOG.warnf("not all processes of the step of process %d stop: %s", root.pid(), members());
  }

  /** Resumes all of them where they were stopped. */
  @Override
  public void goOn() {
    for (ProcessHandle process : members()) {
      try {
        ProcessSuspender.goOn(process.pid());
      } catch (IOException e) {
        LOG.warnf("process %d cannot be resumed: %s", process.pid(), e.getMessage());
      }
    }
  }

  private static void stop(ProcessHandle process) {
    try {
      ProcessSuspender.stop(process.pid());
    } catch (IOException e) {
      LOG.warnf("process %d cannot be stopped: %s", process.pid(), e.getMessage());
    }
  }

  /** Also true when it has ended. */
  private static boolean isStopped(long pid) {
    try {
      String stat =
          Files.readString(
              PROC.resolve(Long.toString(pid)).resolve("stat"), StandardCharsets.ISO_8859_1);
      return "TtZX".indexOf(stat.charAt(stat.lastIndexOf(')') + 2)) >= 0;
    } catch (IOException | IndexOutOfBoundsException gone) {
      LOG.tracef("%d: %s", pid, gone);
      return true;
    }
  }

  /**
   * Kills like {@link #kill}, even if the thread is or gets interrupted; the interrupt is kept for
   * later.
   */
  void killWhateverComes() {
    ThreadJoiner.join(List.of(Thread.ofPlatform().name("kill").start(this::killUninterrupted)));
  }

  private void killUninterrupted() {
    try {
      kill();
    } catch (InterruptedException e) {
      LOG.warn("unexpected interrupt of the kill thread", e);
    }
  }

  private Set<ProcessHandle> members() {
    Set<ProcessHandle> found = new LinkedHashSet<>();
    if (root.isAlive()) {
      found.add(root);
      root.descendants().forEach(found::add);
    }
    if (Files.isDirectory(PROC.resolve("self"))) {
      addFromProc(found);
    }
    found.removeIf(handle -> !handle.isAlive());
    return found;
  }

  private void addFromProc(Set<ProcessHandle> found) {
    long self = ProcessHandle.current().pid();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path entry : entries) {
        long pid = Long.parseLong(entry.getFileName().toString());
        if (pid != self && pid != 1 && isOurs(entry)) {
          ProcessHandle.of(pid).ifPresent(found::add);
        }
      }
    } catch (IOException | DirectoryIteratorException e) {
      LOG.warnf("cannot list processes: %s", e);
    }
  }

  private boolean isOurs(Path entry) {
    try {
      String stat = Files.readString(entry.resolve("stat"), StandardCharsets.ISO_8859_1);
      // The name, in parentheses, may contain any characters.
      String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", SESSION_FIELD + 2);
      if (fields[0].equals("Z")) {
        return false;
      }
      return Long.parseLong(fields[SESSION_FIELD]) == root.pid() || hasMarks(entry);
    } catch (IOException | IndexOutOfBoundsException | NumberFormatException gone) {
      LOG.tracef("%s: %s", entry, gone);
      return false;
    }
  }

  private boolean hasMarks(Path entry) {
    try {
      byte[] environment = Files.readAllBytes(entry.resolve("environ"));
      String text = new String(environment, StandardCharsets.ISO_8859_1);
      return new HashSet<>(Arrays.asList(text.split("\0"))).containsAll(marks);
    } catch (IOException notOurUser) {
      LOG.tracef("%s: %s", entry, notOurUser);
      return false;
    }
  }
}
