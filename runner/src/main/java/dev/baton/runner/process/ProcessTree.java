/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import dev.baton.process.ProcessEntry;
import dev.baton.process.ProcessKiller;
import dev.baton.process.ProcessTreeSnapshot;
import dev.baton.process.ProcfsProcessReader;
import dev.baton.runner.lease.RunLease;
import dev.baton.snapshot.posix.ProcessSuspender;
import dev.baton.snapshot.threads.ThreadJoiner;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Finds and signals all processes that one step started: its session, its descendants, and on Linux
 * also those that left the session, identified by the step's marks in their environment.
 */
final class ProcessTree implements RunLease.Suspendable {
  private static final Logger LOG = Logger.getLogger(ProcessTree.class);
  private static final long SELF = ProcessHandle.current().pid();
  private static final Duration KILLED_WITHIN = Duration.ofSeconds(2);
  private static final int MAX_ROUNDS = 50;

  private final ProcessHandle root;
  private final Set<String> marks;
  private final boolean sandboxed;

  /** When the first process was started; those of the step are not older. */
  private final long startTicks;

  /**
   * @param root the step's first process, leader of its session
   * @param marks {@code NAME=value} pairs; only processes of this attempt have all of them
   */
  ProcessTree(ProcessHandle root, Set<String> marks) {
    this(root, marks, false);
  }

  /**
   * @param sandboxed whether the first process is that of a sandbox, which ends after those inside
   */
  ProcessTree(ProcessHandle root, Set<String> marks, boolean sandboxed) {
    this.root = root;
    this.marks = marks;
    this.sandboxed = sandboxed;
    this.startTicks =
        ProcfsProcessReader.entry(root.pid()).map(ProcessEntry::startTicks).orElse(0L);
  }

  /** The pid of the first process. */
  long root() {
    return root.pid();
  }

  /** Sends SIGTERM to all of them, but not to a sandbox: its end would kill those inside. */
  void terminate() {
    Set<Long> found = members();
    if (sandboxed) {
      found.remove(root.pid());
    }
    found.forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy));
  }

  /**
   * Kills all of them, including those they start before they are dead. Bounded: gives up with a
   * warning after 2 s.
   *
   * @return how many were killed
   */
  int kill() throws InterruptedException {
    ProcessKiller killer = new ProcessKiller(this::members);
    Set<Long> left = killer.kill(KILLED_WITHIN);
    if (!left.isEmpty()) {
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      LOG.warnf("processes of the step of process %d do not end: %s", root.pid(), left);
    }
    return killer.killed();
  }

  /**
   * Stops all of them, including those they start before they are stopped, until two consecutive
   * scans find the same processes, all stopped. Bounded like {@link #kill}.
   */
  @Override
  public void suspend() {
    Set<Long> before = Set.of();
    for (int round = 0; round < MAX_ROUNDS; round++) {
      Set<Long> alive = members();
      boolean all = alive.stream().allMatch(ProcessTree::isStopped);
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
    for (long pid : members()) {
      try {
        ProcessSuspender.goOn(pid);
      } catch (IOException e) {
        LOG.warnf("process %d cannot be resumed: %s", pid, e.getMessage());
      }
    }
  }

  private static void stop(long pid) {
    try {
      ProcessSuspender.stop(pid);
    } catch (IOException e) {
      LOG.warnf("process %d cannot be stopped: %s", pid, e.getMessage());
    }
  }

  /** Also true when it has ended. */
  private static boolean isStopped(long pid) {
    return ProcfsProcessReader.entry(pid).map(ProcessEntry::isStopped).orElse(true);
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

  /** Returns the live ones, never this process. */
  private Set<Long> members() {
    Set<Long> found = new LinkedHashSet<>();
    ProcessTreeSnapshot all = ProcessTreeSnapshot.take();
    if (all.isEmpty()) {
      if (root.isAlive()) {
        found.add(root.pid());
        root.descendants().forEach(child -> found.add(child.pid()));
      }
      return found;
    }
    if (root.isAlive()) {
      found.add(root.pid());
      found.addAll(all.descendants(Set.of(root.pid())));
    }
    for (ProcessEntry entry : all.all()) {
      if (entry.session() == root.pid()
          || !entry.isDead()
              && entry.startTicks() >= startTicks
              && ProcfsProcessReader.hasVariables(entry.pid(), marks)) {
        found.add(entry.pid());
      }
    }
    found.removeIf(pid -> pid == SELF || pid == 1 || isDead(all.get(pid)));
    return found;
  }

  private static boolean isDead(@Nullable ProcessEntry entry) {
    return entry == null || entry.isDead();
  }
}
