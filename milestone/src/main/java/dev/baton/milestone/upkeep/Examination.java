/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.upkeep;

import dev.baton.milestone.git.Repository;
import dev.baton.milestone.history.History;
import dev.baton.milestone.history.Located;
import dev.baton.milestone.sidecar.Sidecars;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What a repository's sidecars are worth. Immutable.
 *
 * @param located every sidecar, in the order of runs and milestones
 * @param malformed what is none
 * @param leftovers of writers that died: harmless, and told
 * @param index what is wrong with {@code index.json}
 */
public record Examination(
    List<Located> located,
    List<Sidecars.Malformed> malformed,
    List<String> leftovers,
    List<String> index) {
  public Examination {
    located = List.copyOf(located);
    malformed = List.copyOf(malformed);
    leftovers = List.copyOf(leftovers);
    index = List.copyOf(index);
  }

  public static Examination of(Repository repository) throws IOException, InterruptedException {
    Sidecars sidecars = new Sidecars(repository.root(), Sidecars.Format.BATON);
    Sidecars.Listing listing = sidecars.list();
    History history = History.of(repository);
    List<Located> located = new ArrayList<>();
    for (String run : listing.runs()) {
      located.addAll(history.locate(listing.of(run)));
    }
    return new Examination(
        located, listing.malformed(), listing.leftovers(), sidecars.indexProblems());
  }

  /** Every milestone is in the history in some form, and all files are what they should be. */
  public boolean isHealthy() {
    return malformed.isEmpty()
        && index.isEmpty()
        && located.stream().allMatch(sidecar -> sidecar.commit() != null);
  }
}
