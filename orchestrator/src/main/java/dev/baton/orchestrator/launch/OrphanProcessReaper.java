/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.launch;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
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
  private static final long LOOK_AGAIN_MILLIS = 200;
  private static final long FIRST_PAUSE_MILLIS = 1;
  private static final long LONGEST_PAUSE_MILLIS = 50;

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
    long end = System.nanoTime() + PATIENCE.toNanos();
    Set<Long> found = find(below, seeds);
    while (!found.isEmpty() && System.nanoTime() < end) {
      found.forEach(OrphanProcessReaper::kill);
      if (!awaitEnd(found)) {
        return found;
      }
      // The killed processes may have started others meanwhile.
      found = find(below, seeds);
    }
    return found;
  }

  /**
   * Checks only the killed pids, which costs much less than a scan. Returns false when interrupted.
   */
  private static boolean awaitEnd(Set<Long> killed) {
    long millis = FIRST_PAUSE_MILLIS;
    for (long waited = 0; waited < LOOK_AGAIN_MILLIS; waited += millis) {
      millis = Math.min(LONGEST_PAUSE_MILLIS, waited + FIRST_PAUSE_MILLIS);
      if (!pause(millis)) {
        return false;
      }
      if (killed.stream().noneMatch(ProcfsProcessReader::isAlive)) {
        return true;
      }
    }
    return true;
  }

  private static void kill(long pid) {
    ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
  }

  private static boolean pause(long millis) {
    try {
      Thread.sleep(millis);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Returns the live processes of older epochs. */
  Set<Long> find(Map<String, Integer> below, Collection<Long> seeds) {
    List<ProcfsProcessReader.Entry> all = ProcfsProcessReader.all();
    if (all.isEmpty()) {
      return withoutProc(seeds);
    }
    Map<Long, ProcfsProcessReader.Entry> byPid = new HashMap<>();
    all.forEach(entry -> byPid.put(entry.pid(), entry));
    Set<Long> old = new HashSet<>();
    Set<Long> current = new HashSet<>();
    Set<Long> inside = new HashSet<>();
    for (ProcfsProcessReader.Entry entry : all) {
      switch (membership(entry.pid(), below)) {
        case OLD -> old.add(entry.pid());
        case INSIDE -> inside.add(entry.pid());
        case CURRENT -> current.add(entry.pid());
        case NONE -> {}
      }
    }
    Relations relations = new Relations(all);
    addDescendants(relations, current, old);
    inside.removeAll(current);
    old.addAll(inside);
    seeds.stream().filter(byPid::containsKey).forEach(old::add);
    spread(relations, byPid, old, current, seeds);
    old.removeIf(pid -> spared.contains(pid) || isDead(byPid.get(pid)));
    return old;
  }

  /** A step of the current epoch may have cleared its environment; its ancestors identify it. */
  private static void addDescendants(Relations relations, Set<Long> current, Set<Long> old) {
    Deque<Long> open = new ArrayDeque<>(current);
    while (!open.isEmpty()) {
      for (ProcfsProcessReader.Entry child : relations.children(open.remove())) {
        if (!old.contains(child.pid()) && current.add(child.pid())) {
          open.add(child.pid());
        }
      }
    }
  }

  /** Indexes processes by parent, group and session. */
  private static final class Relations {
    private final Map<Long, List<ProcfsProcessReader.Entry>> children = new HashMap<>();
    private final Map<Long, List<ProcfsProcessReader.Entry>> groups = new HashMap<>();
    private final Map<Long, List<ProcfsProcessReader.Entry>> sessions = new HashMap<>();

    Relations(List<ProcfsProcessReader.Entry> all) {
      for (ProcfsProcessReader.Entry entry : all) {
        add(children, entry.parent(), entry);
        add(groups, entry.group(), entry);
        add(sessions, entry.session(), entry);
      }
    }

    private static void add(
        Map<Long, List<ProcfsProcessReader.Entry>> map, long key, ProcfsProcessReader.Entry entry) {
      map.computeIfAbsent(key, k -> new ArrayList<>()).add(entry);
    }

    List<ProcfsProcessReader.Entry> children(long parent) {
      return children.getOrDefault(parent, List.of());
    }

    List<ProcfsProcessReader.Entry> group(long leader) {
      return groups.getOrDefault(leader, List.of());
    }

    List<ProcfsProcessReader.Entry> session(long leader) {
      return sessions.getOrDefault(leader, List.of());
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
    Map<String, String> environment = ProcfsProcessReader.environment(pid);
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
      Relations relations,
      Map<Long, ProcfsProcessReader.Entry> byPid,
      Set<Long> old,
      Set<Long> current,
      Collection<Long> seeds) {
    Deque<Long> open = new ArrayDeque<>(old);
    for (long seed : seeds) {
      // The pid is not reused while its session or group has members.
      if (!byPid.containsKey(seed)) {
        reach(relations.session(seed), old, current, open);
        reach(relations.group(seed), old, current, open);
      }
    }
    while (!open.isEmpty()) {
      ProcfsProcessReader.Entry entry = byPid.get(open.remove());
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
      List<ProcfsProcessReader.Entry> reached, Set<Long> old, Set<Long> current, Deque<Long> open) {
    for (ProcfsProcessReader.Entry entry : reached) {
      if (!current.contains(entry.pid()) && !spared.contains(entry.pid()) && old.add(entry.pid())) {
        open.add(entry.pid());
      }
    }
  }

  private static boolean isDead(ProcfsProcessReader.@Nullable Entry entry) {
    return entry == null || entry.dead();
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
