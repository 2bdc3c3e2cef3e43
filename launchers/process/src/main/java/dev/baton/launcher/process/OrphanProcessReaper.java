/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.process;

import dev.baton.process.ProcessEntry;
import dev.baton.process.ProcessTreeSnapshot;
import dev.baton.process.ProcfsProcessReader;
import dev.baton.protocol.retry.Backoff;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Finds and kills the processes that older epochs of runs have left on this host: processes whose
 * environment has the run and an older epoch, all in their sessions and process groups, all their
 * descendants, and every process whose working directory is inside the run's folder. A process may
 * leave its parent, its group and its session, but it keeps its environment.
 */
final class OrphanProcessReaper {
  private static final Duration FIRST_SCAN = Duration.ofMillis(1);
  private static final Duration LATER_SCANS = Duration.ofMillis(200);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(1);
  private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

  private final Path runsFolder;
  private final Set<Long> spared;
  private final ProcessTerminator terminator;

  /**
   * @param runsFolder contains one folder per run
   * @param spared pids that are never killed: this process and its ancestors
   * @param terminator sends SIGKILL to a pid
   */
  OrphanProcessReaper(Path runsFolder, Set<Long> spared, ProcessTerminator terminator) {
    this.terminator = terminator;
    this.runsFolder = runsFolder.toAbsolutePath().normalize();
    this.spared = Set.copyOf(spared);
  }

  /** Creates a reaper that spares this process and its ancestors. */
  static OrphanProcessReaper sparingSelf(Path runsFolder, ProcessTerminator terminator) {
    Set<Long> self = new HashSet<>();
    for (Optional<ProcessHandle> handle = Optional.of(ProcessHandle.current());
        handle.isPresent();
        handle = handle.get().parent()) {
      self.add(handle.get().pid());
    }
    return new OrphanProcessReaper(runsFolder, self, terminator);
  }

  /**
   * Kills until no such process is found. A run with a process that stays alive delays no other: a
   * run is reported as soon as all of its own processes are dead. When interrupted, it returns
   * early and keeps the interrupt.
   *
   * @param below by run: the lowest epoch that is not killed
   * @param seeds by run: pids of its present or former processes; never a pid that was reused
   * @param patience after which it gives up, up to one scan later
   * @param killed receives each run without such processes, on the calling thread
   * @return the pids that were still alive at the end, by run; normally empty
   */
  Map<String, Set<Long>> kill(
      Map<String, Integer> below,
      Map<String, List<Long>> seeds,
      Duration patience,
      Consumer<String> killed) {
    long end = System.nanoTime() + patience.toNanos();
    Map<String, Integer> left = new HashMap<>(below);
    Backoff scans = Backoff.exponential(FIRST_SCAN, LATER_SCANS);
    while (true) {
      Map<String, Set<Long>> found = find(left, seeds);
      for (String run : List.copyOf(left.keySet())) {
        if (!found.containsKey(run)) {
          left.remove(run);
          killed.accept(run);
        }
      }
      if (found.isEmpty() || System.nanoTime() >= end) {
        return found;
      }
      for (Set<Long> pids : found.values()) {
        pids.forEach(terminator::terminate);
      }
      if (!awaitEnd(found.values(), scans.next().toMillis())) {
        return found;
      }
    }
  }

  /**
   * Waits until all processes of a run are dead, and at least for {@code leastMillis}. Checks only
   * the killed pids, which costs much less than a scan.
   *
   * @return false when interrupted
   */
  private static boolean awaitEnd(Collection<Set<Long>> killed, long leastMillis) {
    Backoff looks = Backoff.exponential(FIRST_PAUSE, LONGEST_PAUSE);
    long start = System.nanoTime();
    long waited = 0;
    while (waited < LATER_SCANS.toMillis()) {
      if (!looks.pauseUnlessInterrupted()) {
        return false;
      }
      waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      if (waited >= leastMillis
          && killed.stream()
              .anyMatch(pids -> pids.stream().noneMatch(ProcfsProcessReader::isAlive))) {
        return true;
      }
    }
    return true;
  }

  /**
   * Returns the live processes of older epochs, by run; runs without one are absent. A process that
   * belongs to several runs is listed for one of them.
   */
  private Map<String, Set<Long>> find(Map<String, Integer> below, Map<String, List<Long>> seeds) {
    Map<Long, String> ofSeeds = new HashMap<>();
    below
        .keySet()
        .forEach(run -> seeds.getOrDefault(run, List.of()).forEach(pid -> ofSeeds.put(pid, run)));
    ProcessTreeSnapshot all = ProcessTreeSnapshot.take();
    Map<Long, String> old = all.isEmpty() ? withoutProc(ofSeeds) : scan(all, below, ofSeeds);
    Map<String, Set<Long>> found = new HashMap<>();
    old.forEach((pid, run) -> found.computeIfAbsent(run, r -> new HashSet<>()).add(pid));
    return found;
  }

  private Map<Long, String> scan(
      ProcessTreeSnapshot all, Map<String, Integer> below, Map<Long, String> seeds) {
    Map<Long, String> old = new HashMap<>();
    Set<Long> current = new HashSet<>();
    Map<Long, String> inside = new HashMap<>();
    for (ProcessEntry entry : all.all()) {
      switch (membership(entry.pid(), below)) {
        case Membership.Old(String run) -> old.put(entry.pid(), run);
        case Membership.Inside(String run) -> inside.put(entry.pid(), run);
        case Membership.Current() -> current.add(entry.pid());
        case Membership.None() -> {}
      }
    }
    addDescendants(all, current, old.keySet());
    inside.keySet().removeAll(current);
    inside.forEach(old::putIfAbsent);
    seeds.forEach(
        (pid, run) -> {
          if (all.get(pid) != null) {
            old.putIfAbsent(pid, run);
          }
        });
    spread(all, old, current, seeds);
    old.keySet().removeIf(pid -> spared.contains(pid) || isDead(all.get(pid)));
    return old;
  }

  /** A step of the current epoch may have cleared its environment; its ancestors identify it. */
  private static void addDescendants(
      ProcessTreeSnapshot relations, Set<Long> current, Set<Long> old) {
    Deque<Long> open = new ArrayDeque<>(current);
    while (!open.isEmpty()) {
      for (ProcessEntry child : relations.children(open.remove())) {
        if (!old.contains(child.pid()) && current.add(child.pid())) {
          open.add(child.pid());
        }
      }
    }
  }

  /** How a process belongs to the runs. */
  private sealed interface Membership {
    record Old(String run) implements Membership {}

    /** Its working directory is in the run's folder and its environment has no epoch. */
    record Inside(String run) implements Membership {}

    record Current() implements Membership {}

    record None() implements Membership {}
  }

  private Membership membership(long pid, Map<String, Integer> below) {
    Map<String, String> environment = ProcfsProcessReader.environment(pid, "BATON_");
    String run = environment.get("BATON_RUN_ID");
    Integer limit = run == null ? null : below.get(run);
    if (run != null && limit != null) {
      // A process without an epoch can only be older: every current runner sets one.
      return epoch(environment.get("BATON_EPOCH")) < limit
          ? new Membership.Old(run)
          : new Membership.Current();
    }
    String folder = folder(ProcfsProcessReader.directory(pid));
    return folder != null && below.containsKey(folder)
        ? new Membership.Inside(folder)
        : new Membership.None();
  }

  private static int epoch(@Nullable String text) {
    try {
      return text == null ? 0 : Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  /** Returns the name of the run's folder that the directory is inside; null when outside. */
  private @Nullable String folder(@Nullable Path directory) {
    return directory != null
            && directory.startsWith(runsFolder)
            && directory.getNameCount() > runsFolder.getNameCount()
        ? directory.getName(runsFolder.getNameCount()).toString()
        : null;
  }

  /** Adds sessions, groups and descendants; never a process of the current epoch. */
  private void spread(
      ProcessTreeSnapshot relations,
      Map<Long, String> old,
      Set<Long> current,
      Map<Long, String> seeds) {
    Deque<Long> open = new ArrayDeque<>(old.keySet());
    seeds.forEach(
        (seed, run) -> {
          // The pid is not reused while its session or group has members.
          if (relations.get(seed) == null) {
            reach(relations.session(seed), run, old, current, open);
            reach(relations.group(seed), run, old, current, open);
          }
        });
    while (!open.isEmpty()) {
      long pid = open.remove();
      ProcessEntry entry = relations.get(pid);
      String run = old.get(pid);
      if (entry == null || run == null) {
        continue;
      }
      reach(relations.children(entry.pid()), run, old, current, open);
      // Only a session or group led by one of them is theirs; others may share it by accident.
      if (leads(entry.session(), old)) {
        reach(relations.session(entry.session()), run, old, current, open);
      }
      if (leads(entry.group(), old)) {
        reach(relations.group(entry.group()), run, old, current, open);
      }
    }
  }

  private boolean leads(long leader, Map<Long, String> old) {
    return old.containsKey(leader) && !spared.contains(leader);
  }

  private void reach(
      List<ProcessEntry> reached,
      String run,
      Map<Long, String> old,
      Set<Long> current,
      Deque<Long> open) {
    for (ProcessEntry entry : reached) {
      if (!current.contains(entry.pid())
          && !spared.contains(entry.pid())
          && old.putIfAbsent(entry.pid(), run) == null) {
        open.add(entry.pid());
      }
    }
  }

  private static boolean isDead(@Nullable ProcessEntry entry) {
    return entry == null || entry.isDead();
  }

  /** Without /proc: only the seeds and their descendants. */
  private Map<Long, String> withoutProc(Map<Long, String> seeds) {
    Map<Long, String> found = new HashMap<>();
    seeds.forEach(
        (seed, run) ->
            ProcessHandle.of(seed)
                .filter(ProcessHandle::isAlive)
                .ifPresent(
                    handle -> {
                      found.put(seed, run);
                      handle.descendants().forEach(child -> found.put(child.pid(), run));
                    }));
    found.keySet().removeAll(spared);
    return found;
  }
}
