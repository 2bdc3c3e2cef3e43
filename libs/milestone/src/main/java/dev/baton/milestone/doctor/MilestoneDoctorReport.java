/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.doctor;

import dev.baton.milestone.git.GitRepository;
import dev.baton.milestone.history.MilestoneLocation;
import dev.baton.milestone.history.MilestoneLocator;
import dev.baton.milestone.sidecar.SidecarStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reports the state of a repository's milestone sidecars. Immutable.
 *
 * @param located every sidecar, ordered by run and milestone
 * @param malformed files that are not valid sidecars
 * @param leftovers temporary files of writers that were killed: harmless, but reported
 * @param index problems of {@code index.json}
 */
public record MilestoneDoctorReport(
    List<MilestoneLocation> located,
    List<SidecarStore.Malformed> malformed,
    List<String> leftovers,
    List<String> index) {
  public MilestoneDoctorReport {
    located = List.copyOf(located);
    malformed = List.copyOf(malformed);
    leftovers = List.copyOf(leftovers);
    index = List.copyOf(index);
  }

  public static MilestoneDoctorReport of(GitRepository repository)
      throws IOException, InterruptedException {
    SidecarStore sidecars = new SidecarStore(repository.root(), SidecarStore.Format.BATON);
    SidecarStore.Listing listing = sidecars.list();
    MilestoneLocator history = MilestoneLocator.of(repository);
    List<MilestoneLocation> located = new ArrayList<>();
    for (String run : listing.runs()) {
      located.addAll(history.locate(listing.of(run)));
    }
    return new MilestoneDoctorReport(
        located, listing.malformed(), listing.leftovers(), sidecars.indexProblems());
  }

  /**
   * Whether every milestone is in the history in some form, no sidecar is malformed, and the index
   * matches.
   */
  public boolean isHealthy() {
    return malformed.isEmpty()
        && index.isEmpty()
        && located.stream().allMatch(sidecar -> sidecar.commit() != null);
  }
}
