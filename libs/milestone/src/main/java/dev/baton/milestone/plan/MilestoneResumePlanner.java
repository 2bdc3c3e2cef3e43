/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.plan;

import dev.baton.milestone.MilestoneMessageCodec;
import dev.baton.milestone.git.GitRepository;
import dev.baton.milestone.history.MilestoneLocation;
import dev.baton.milestone.history.MilestoneLocator;
import dev.baton.milestone.plan.ResumePlan.Checkpoint;
import dev.baton.milestone.sidecar.MilestoneSidecar;
import dev.baton.milestone.sidecar.SidecarStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Creates resume plans from a repository alone. Sources in order: the run's sidecars, the log
 * messages that name the run, the records of earlier tools. Only reads. Single use.
 */
public final class MilestoneResumePlanner {
  private static final String RUNR = SidecarStore.Format.RUNR.word();
  private static final int MOST_NAMED = 5;

  private final GitRepository repository;
  private final MilestoneLocator history;
  private final String run;
  private final List<String> notes = new ArrayList<>();
  private int malformed;
  private int ofOthers;

  private MilestoneResumePlanner(GitRepository repository, String run)
      throws IOException, InterruptedException {
    this.repository = repository;
    this.history = MilestoneLocator.of(repository);
    this.run = run;
  }

  public static ResumePlan plan(GitRepository repository, String run)
      throws IOException, InterruptedException {
    return new MilestoneResumePlanner(repository, run).plan();
  }

  private ResumePlan plan() throws IOException, InterruptedException {
    if (history.isShallow()) {
      notes.add("the repository is shallow: its log is incomplete");
    }
    Optional<Checkpoint> found = bySidecar(SidecarStore.Format.BATON);
    ResumePlanSource source = ResumePlanSource.SIDECAR;
    if (found.isEmpty()) {
      found = byLog("baton", subject -> MilestoneMessageCodec.index("baton", run, subject));
      source = ResumePlanSource.GIT_LOG_RUN_SPECIFIC;
    }
    if (found.isEmpty()) {
      found = bySidecar(SidecarStore.Format.RUNR);
      source = ResumePlanSource.SIDECAR;
    }
    if (found.isEmpty()) {
      found = byLog(RUNR, subject -> MilestoneMessageCodec.index(RUNR, run, subject));
      source = ResumePlanSource.GIT_LOG_LEGACY;
    }
    if (found.isEmpty()) {
      found = byLog(null, MilestoneMessageCodec::unnamedIndex);
      if (found.isPresent()) {
        notes.add("the commit's message names no run: it may be another's");
      }
    }
    return new ResumePlan(
            run,
            found.isEmpty() ? ResumePlanSource.NONE : source,
            found,
            Optional.empty(),
            malformed,
            ofOthers,
            notes)
        .against(RunrStateReader.newestMilestone(repository.root(), run));
  }

  private Optional<Checkpoint> bySidecar(SidecarStore.Format format)
      throws IOException, InterruptedException {
    SidecarStore.Listing listing = new SidecarStore(repository.root(), format).list();
    passOver(listing);
    List<MilestoneLocation> milestones = history.locate(listing.of(run));
    if (milestones.isEmpty()) {
      return Optional.empty();
    }
    MilestoneLocation best =
        milestones.reversed().stream()
            .filter(located -> located.commit() != null)
            .findFirst()
            .orElse(milestones.getLast());
    milestones.stream()
        .filter(located -> located.sidecar().milestoneIndex() > best.sidecar().milestoneIndex())
        .forEach(
            located ->
                notes.add(
                    "milestone %d (%s) cannot be resumed: %s"
                        .formatted(
                            located.sidecar().milestoneIndex(),
                            located.sidecar().sha(),
                            located.describe())));
    noteNewerInLog(format.word(), best.sidecar().milestoneIndex());
    return Optional.of(checkpoint(format, best));
  }

  /** Notes newer milestones of the log whose sidecar is lost or malformed. */
  private void noteNewerInLog(String tool, int index) throws IOException, InterruptedException {
    for (MilestoneLocator.LogEntry entry :
        history.log(MilestoneMessageCodec.beginning(tool, run))) {
      OptionalInt other = MilestoneMessageCodec.index(tool, run, entry.subject());
      if (other.isPresent() && other.getAsInt() > index) {
        notes.add(
            "the log has milestone %d (%s), which has no sidecar that can be read: the sidecars count"
                .formatted(other.getAsInt(), entry.commit()));
      }
    }
  }

  private void passOver(SidecarStore.Listing listing) {
    malformed += listing.malformed().size();
    ofOthers += listing.sidecars().size() - listing.of(run).size();
    listing.malformed().stream()
        .limit(MOST_NAMED)
        .forEach(file -> notes.add(file.file() + " is passed over: " + file.reason()));
    if (listing.malformed().size() > MOST_NAMED) {
      notes.add(listing.malformed().size() - MOST_NAMED + " more malformed files are passed over");
    }
  }

  private static Checkpoint checkpoint(SidecarStore.Format format, MilestoneLocation located) {
    MilestoneSidecar sidecar = located.sidecar();
    return new Checkpoint(
        format.word(),
        sidecar.sha(),
        Optional.ofNullable(located.commit()),
        sidecar.milestoneIndex(),
        located.word(),
        located.describe(),
        sidecar.milestoneTitle(),
        Optional.ofNullable(sidecar.tier()),
        sidecar.verificationCommands());
  }

  /** A milestone found in a commit message. */
  private record Told(MilestoneLocator.LogEntry entry, int index, boolean own) {}

  /**
   * @param tool null for messages that name neither tool nor run
   */
  private Optional<Checkpoint> byLog(@Nullable String tool, Function<String, OptionalInt> indexOf)
      throws IOException, InterruptedException {
    String text =
        tool == null ? ": checkpoint milestone " : MilestoneMessageCodec.beginning(tool, run);
    List<Told> told = new ArrayList<>();
    for (MilestoneLocator.LogEntry entry : history.log(text)) {
      OptionalInt own = indexOf.apply(entry.subject());
      if (own.isPresent()) {
        told.add(new Told(entry, own.getAsInt(), true));
      }
      entry
          .message()
          .lines()
          .skip(1)
          .map(line -> line.replaceFirst("^[\\s>*-]+", ""))
          .map(indexOf)
          .filter(OptionalInt::isPresent)
          .forEach(index -> told.add(new Told(entry, index.getAsInt(), false)));
    }
    // The highest number; among equal numbers the newest commit, which is first.
    return told.stream()
        .max(
            Comparator.comparingInt(Told::index)
                .thenComparing(told::indexOf, Comparator.reverseOrder()))
        .map(
            newest ->
                new Checkpoint(
                    tool == null ? "unnamed" : tool,
                    newest.entry().commit(),
                    Optional.of(newest.entry().commit()),
                    newest.index(),
                    newest.own() ? "ok" : "squashed",
                    newest.own()
                        ? "in the history, known by its message"
                        : "squashed into " + newest.entry().commit() + ", known by its message",
                    "",
                    Optional.empty(),
                    List.of()));
  }
}
