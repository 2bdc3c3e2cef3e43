/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import dev.baton.snapshot.format.Hash;
import dev.baton.store.packs.PackRow;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Caches the verified nodes of a run's newest checkpoint. The next checkpoint shares most nodes,
 * and if its packs include those of this one, these nodes need not be read again. Bounded: evicted
 * nodes are read again. Not thread-safe.
 */
final class VerifiedNodeCache {
  private static final int MOST_NODES = 200_000;

  private record Known(Set<Long> packs, Set<Hash> nodes) {}

  private final Map<String, Known> runs = new LinkedHashMap<>(16, 0.75f, true);
  private int size;

  /** Returns the run's nodes whose subtrees are verified in these packs. */
  Set<Hash> in(String run, List<PackRow> packs) {
    Known known = runs.get(run);
    return known != null && ids(packs).containsAll(known.packs()) ? known.nodes() : Set.of();
  }

  /** Caches nodes whose subtrees are complete in these packs. */
  void put(String run, List<PackRow> packs, Set<Hash> before, Set<Hash> added) {
    Set<Hash> nodes = new HashSet<>(before);
    nodes.addAll(added);
    forget(run);
    runs.put(run, new Known(ids(packs), nodes));
    size += nodes.size();
    while (size > MOST_NODES) {
      forget(runs.keySet().iterator().next());
    }
  }

  void forget(String run) {
    Known known = runs.remove(run);
    size -= known == null ? 0 : known.nodes().size();
  }

  private static Set<Long> ids(List<PackRow> packs) {
    return packs.stream().map(PackRow::id).collect(Collectors.toSet());
  }
}
