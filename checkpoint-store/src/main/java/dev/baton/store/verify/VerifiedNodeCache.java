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
 * What was found complete in a run's newest checkpoint. The next one has mostly the same nodes, and
 * where it has the same packs too, those need not be read again. Bounded: what is not remembered is
 * read. For one thread.
 */
final class VerifiedNodeCache {
  private static final int MOST_NODES = 200_000;

  private record Known(Set<Long> packs, Set<Hash> nodes) {}

  private final Map<String, Known> runs = new LinkedHashMap<>(16, 0.75f, true);
  private int size;

  /** The run's nodes whose subtrees are in these packs. */
  Set<Hash> in(String run, List<PackRow> packs) {
    Known known = runs.get(run);
    return known != null && ids(packs).containsAll(known.packs()) ? known.nodes() : Set.of();
  }

  /** All of them are complete in these packs. */
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
