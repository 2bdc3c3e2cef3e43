/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.snapshot.CapturedTree;
import dev.baton.snapshot.ExcludePolicy;
import dev.baton.snapshot.SkippedEntry;
import dev.baton.snapshot.TreeSnapshotter;
import dev.baton.snapshot.format.Hash;
import dev.baton.snapshot.restore.RestoreOptions;
import dev.baton.snapshot.restore.RestoredTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Creates, captures, restores, changes, captures and restores many trees. */
final class RoundTrips {
  private final Path sources;
  private final Path targets;
  private final InMemoryPackStore store = new InMemoryPackStore();
  private final List<Trip> trips = new ArrayList<>();

  /**
   * @param sources an empty directory
   * @param targets an empty directory
   */
  RoundTrips(Path sources, Path targets) {
    this.sources = sources;
    this.targets = targets;
  }

  private record Trip(
      long seed,
      OddTree tree,
      Path source,
      Path target,
      TreeSnapshotter here,
      TreeSnapshotter there) {}

  /** Creates, captures and restores this number of trees. */
  void start(long seed, int count, RestoreOptions options)
      throws IOException, InterruptedException {
    for (int i = 0; i < count; i++) {
      Path source = sources.resolve("tree-" + i);
      OddTree tree = OddTree.make(source, seed + i);
      TreeSnapshotter here = new TreeSnapshotter(ExcludePolicy.none());
      TreeSnapshotter there = new TreeSnapshotter(ExcludePolicy.none());
      Trip trip = new Trip(seed + i, tree, source, targets.resolve("tree-" + i), here, there);
      trips.add(trip);
      trip(trip, options);
    }
    sameTimes();
  }

  /** Changes all trees, captures and restores them. */
  void change(RestoreOptions options) throws IOException, InterruptedException {
    for (Trip trip : trips) {
      Hash before = trip.here.digest(trip.source);
      trip.tree.change();
      assertThat(trip(trip, options)).as("tree %d", trip.seed).isNotEqualTo(before);
    }
    sameTimes();
  }

  private Hash trip(Trip trip, RestoreOptions options) throws IOException, InterruptedException {
    String name = "tree " + trip.seed;
    CapturedTree captured = trip.here.capture(trip.source, store);
    skipped(trip, captured);
    Hash digest = captured.snapshot().root();
    // The digest does not depend on the history of changes.
    assertThat(new TreeSnapshotter(ExcludePolicy.none()).digest(trip.source))
        .as(name)
        .isEqualTo(digest);
    RestoredTree restored = trip.there.restore(captured.snapshot(), store, trip.target, options);
    assertThat(restored.treeBytes()).as(name).isEqualTo(captured.snapshot().treeBytes());
    assertThat(restored.fileCount()).as(name).isEqualTo(captured.snapshot().fileCount());
    if (options.keepSetuid()) {
      assertThat(restored.degraded()).as(name).isEmpty();
      unchanged(name, trip.there, trip.target, digest);
    }
    unchanged(name, trip.here, trip.source, digest);
    return digest;
  }

  private void unchanged(String name, TreeSnapshotter tree, Path root, Hash digest)
      throws IOException, InterruptedException {
    CapturedTree again = tree.capture(root, store);
    assertThat(again.storedBytes()).as(name).isZero();
    assertThat(again.snapshot().root()).as(name).isEqualTo(digest);
  }

  private static void skipped(Trip trip, CapturedTree captured) {
    int special = 0;
    for (SkippedEntry each : captured.skipped()) {
      switch (each.reason()) {
        case SPECIAL_FILE -> {
          special++;
          assertThat(each.path()).contains("special-");
        }
        case UNREADABLE -> assertThat(each.path()).containsAnyOf("unreadable-", "closed-");
        case VANISHED, CHANGED_WHILE_READ, ATTRIBUTES_LOST, CONTENT_REFUSED ->
            throw new AssertionError("tree %d: %s".formatted(trip.seed, each));
      }
    }
    assertThat(special).as("tree %d", trip.seed).isEqualTo(trip.tree.specialFiles());
  }

  private void sameTimes() throws IOException {
    // The parent directories of the trees are compared, too.
    Files.setLastModifiedTime(targets, Files.getLastModifiedTime(sources));
  }
}
