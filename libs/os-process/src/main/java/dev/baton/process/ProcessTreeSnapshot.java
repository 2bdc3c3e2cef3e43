/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.process;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The processes of one scan, indexed by parent, group and session. Immutable; a later scan may find
 * others, since processes start and end.
 */
public final class ProcessTreeSnapshot {
  private final Map<Long, ProcessEntry> byPid = new HashMap<>();
  private final Map<Long, List<ProcessEntry>> children = new HashMap<>();
  private final Map<Long, List<ProcessEntry>> groups = new HashMap<>();
  private final Map<Long, List<ProcessEntry>> sessions = new HashMap<>();

  private ProcessTreeSnapshot(List<ProcessEntry> all) {
    for (ProcessEntry entry : all) {
      byPid.put(entry.pid(), entry);
      add(children, entry.parent(), entry);
      add(groups, entry.group(), entry);
      add(sessions, entry.session(), entry);
    }
  }

  /** Scans all processes; the result is empty on a system without {@code /proc}. */
  public static ProcessTreeSnapshot take() {
    return new ProcessTreeSnapshot(ProcfsProcessReader.all());
  }

  private static void add(Map<Long, List<ProcessEntry>> map, long key, ProcessEntry entry) {
    map.computeIfAbsent(key, k -> new ArrayList<>()).add(entry);
  }

  public boolean isEmpty() {
    return byPid.isEmpty();
  }

  public Collection<ProcessEntry> all() {
    return List.copyOf(byPid.values());
  }

  /** Returns the process; null if the scan has none with that pid. */
  public @Nullable ProcessEntry get(long pid) {
    return byPid.get(pid);
  }

  public List<ProcessEntry> children(long parent) {
    return children.getOrDefault(parent, List.of());
  }

  /** Returns the members of the process group, with its leader. */
  public List<ProcessEntry> group(long leader) {
    return groups.getOrDefault(leader, List.of());
  }

  /** Returns the members of the session, with its leader. */
  public List<ProcessEntry> session(long leader) {
    return sessions.getOrDefault(leader, List.of());
  }

  /** Returns the pids of all descendants, without those of the roots themselves. */
  public Set<Long> descendants(Collection<Long> roots) {
    Set<Long> found = new LinkedHashSet<>();
    Deque<Long> open = new ArrayDeque<>(roots);
    while (!open.isEmpty()) {
      for (ProcessEntry child : children(open.remove())) {
        if (!roots.contains(child.pid()) && found.add(child.pid())) {
          open.add(child.pid());
        }
      }
    }
    return found;
  }
}
