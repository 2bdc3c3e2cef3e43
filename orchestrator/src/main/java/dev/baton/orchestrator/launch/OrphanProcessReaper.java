/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import dev.baton.process.ProcessEntry;
import dev.baton.process.ProcessKiller;
import dev.baton.process.ProcessTreeSnapshot;
import dev.baton.process.ProcfsProcessReader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds and kills the processes that older epochs of runs have left on this host: processes whose
 * environment has the run and an older epoch, all in their sessions and process groups, all their
 * descendants, and every process whose working directory is inside the run's folder. A process may
 * leave its parent, its group and its session, but it keeps its environment.
 */
final class OrphanProcessReaper {
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final Path runsFolder;
  private final Set<Long> spared;

  /**
   * @param runsFolder contains one folder per run
   * @param spared pids that are never killed: this process and its ancestors
   */
  OrphanProcessReaper(Path runsFolder, Set<Long> spared) {
    this.runsFolder = runsFolder.toAbsolutePath().normalize();
    this.spared = Set.copyOf(spared);
  }

  /** Creates a reaper that spares this process and its ancestors. */
  static OrphanProcessReaper sparingSelf(Path runsFolder) {
    Set<Long> self = new HashSet<>();
    for (Optional<ProcessHandle> handle = Optional.of(ProcessHandle.current());
        handle.isPresent();
        handle = handle.get().parent()) {
      self.add(handle.get().pid());
    }
    return new OrphanProcessReaper(runsFolder, self);
  }

  /**
   * Kills until no such process is found, for at most 3 s.
   *
   * @param below by run: the lowest epoch that is not killed
   * @param seeds pids of their present or former processes; never a pid that was reused
   * @return the pids that were still alive at the end; normally empty
   */
  Set<Long> kill(Map<String, Integer> below, Collection<Long> seeds) {
    return new ProcessKiller(() -> find(below, seeds)).kill(PATIENCE);
  }

  /** Returns the live processes of older epochs. */
  Set<Long> find(Map<String, Integer> below, Collection<Long> seeds) {
    ProcessTreeSnapshot all = ProcessTreeSnapshot.take();
    if (all.isEmpty()) {
      return withoutProc(seeds);
    }
    Set<Long> old = new HashSet<>();
    Set<Long> current = new HashSet<>();
    Set<Long> inside = new HashSet<>();
    for (ProcessEntry entry : all.all()) {
      switch (membership(entry.pid(), below)) {
        case OLD -> old.add(entry.pid());
        case INSIDE -> inside.add(entry.pid());
        case CURRENT -> current.add(entry.pid());
        case NONE -> {}
      }
    }
    addDescendants(all, current, old);
    inside.removeAll(current);
    old.addAll(inside);
    seeds.stream().filter(seed -> all.get(seed) != null).forEach(old::add);
    spread(all, old, current, seeds);
    old.removeIf(pid -> spared.contains(pid) || isDead(all.get(pid)));
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

  private enum Membership {
    OLD,
    /** Its working directory is in the run's folder and its environment has no epoch. */
    INSIDE,
    CURRENT,
    NONE
  }

  private Membership membership(long pid, Map<String, Integer> below) {
    Map<String, String> environment = ProcfsProcessReader.environment(pid, "BATON_");
    String run = environment.get("BATON_RUN_ID");
    Integer limit = run == null ? null : below.get(run);
    if (limit != null) {
      // A process without an epoch can only be older: every current runner sets one.
      return epoch(environment.get("BATON_EPOCH")) < limit ? Membership.OLD : Membership.CURRENT;
    }
    return isInside(ProcfsProcessReader.directory(pid), below.keySet())
        ? Membership.INSIDE
        : Membership.NONE;
  }

  private static int epoch(@Nullable String text) {
    try {
      return text == null ? 0 : Integer.parseInt(text);
    } catch (NumberFormatException e) {
      return 0;
    }
  }

  private boolean isInside(@Nullable Path directory, Set<String> runs) {
    return directory != null
        && directory.startsWith(runsFolder)
        && directory.getNameCount() > runsFolder.getNameCount()
        && runs.contains(directory.getName(runsFolder.getNameCount()).toString());
  }

  /** Adds sessions, groups and descendants; never a process of the current epoch. */
  private void spread(
      ProcessTreeSnapshot relations, Set<Long> old, Set<Long> current, Collection<Long> seeds) {
    Deque<Long> open = new ArrayDeque<>(old);
    for (long seed : seeds) {
      // The pid is not reused while its session or group has members.
      if (relations.get(seed) == null) {
        reach(relations.session(seed), old, current, open);
        reach(relations.group(seed), old, current, open);
      }
    }
    while (!open.isEmpty()) {
      ProcessEntry entry = relations.get(open.remove());
      if (entry == null) {
        continue;
      }
      reach(relations.children(entry.pid()), old, current, open);
      // Only a session or group led by one of them is theirs; others may share it by accident.
      if (leads(entry.session(), old)) {
        reach(relations.session(entry.session()), old, current, open);
      }
      if (leads(entry.group(), old)) {
        reach(relations.group(entry.group()), old, current, open);
      }
    }
  }

  private boolean leads(long leader, Set<Long> old) {
    return old.contains(leader) && !spared.contains(leader);
  }

  private void reach(
      List<ProcessEntry> reached, Set<Long> old, Set<Long> current, Deque<Long> open) {
    for (ProcessEntry entry : reached) {
      if (!current.contains(entry.pid()) && !spared.contains(entry.pid()) && old.add(entry.pid())) {
        open.add(entry.pid());
      }
    }
  }

  private static boolean isDead(@Nullable ProcessEntry entry) {
    return entry == null || entry.isDead();
  }

  /** Without /proc: only the seeds and their descendants. */
  private Set<Long> withoutProc(Collection<Long> seeds) {
    Set<Long> found = new HashSet<>();
    for (long seed : seeds) {
      ProcessHandle.of(seed)
          .filter(ProcessHandle::isAlive)
          .ifPresent(
              handle -> {
                found.add(seed);
                handle.descendants().forEach(child -> found.add(child.pid()));
              });
    }
    found.removeAll(spared);
    return found;
  }
}
