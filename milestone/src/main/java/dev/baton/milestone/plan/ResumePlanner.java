/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.plan;

import dev.baton.milestone.MilestoneMessage;
import dev.baton.milestone.git.Repository;
import dev.baton.milestone.history.History;
import dev.baton.milestone.history.Located;
import dev.baton.milestone.plan.ResumePlan.Checkpoint;
import dev.baton.milestone.sidecar.Sidecar;
import dev.baton.milestone.sidecar.Sidecars;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Makes plans from a repository alone: the run's sidecars, then the log's messages that name the
 * run, then what earlier tools left, then nothing. Only reads. One use.
 */
public final class ResumePlanner {
  private static final String RUNR = Sidecars.Format.RUNR.word();
  private static final int MOST_NAMED = 5;

  private final Repository repository;
  private final History history;
  private final String run;
  private final List<String> notes = new ArrayList<>();
  private int malformed;
  private int ofOthers;

  private ResumePlanner(Repository repository, String run)
      throws IOException, InterruptedException {
    this.repository = repository;
    this.history = History.of(repository);
    this.run = run;
  }

  public static ResumePlan plan(Repository repository, String run)
      throws IOException, InterruptedException {
    return new ResumePlanner(repository, run).plan();
  }

  private ResumePlan plan() throws IOException, InterruptedException {
    if (history.isShallow()) {
      notes.add("the repository is shallow: its log does not tell all");
    }
    Optional<Checkpoint> found = bySidecar(Sidecars.Format.BATON);
    Source source = Source.SIDECAR;
    if (found.isEmpty()) {
      found = byLog("baton", subject -> MilestoneMessage.index("baton", run, subject));
      source = Source.GIT_LOG_RUN_SPECIFIC;
    }
    if (found.isEmpty()) {
      found = bySidecar(Sidecars.Format.RUNR);
      source = Source.SIDECAR;
    }
    if (found.isEmpty()) {
      found = byLog(RUNR, subject -> MilestoneMessage.index(RUNR, run, subject));
      source = Source.GIT_LOG_LEGACY;
    }
    if (found.isEmpty()) {
      found = byLog(null, MilestoneMessage::unnamedIndex);
      if (found.isPresent()) {
        notes.add("the commit's message names no run: it may be another's");
      }
    }
    return new ResumePlan(
            run,
            found.isEmpty() ? Source.NONE : source,
            found,
            Optional.empty(),
            malformed,
            ofOthers,
            notes)
        .against(RecordedState.newestMilestone(repository.root(), run));
  }

  private Optional<Checkpoint> bySidecar(Sidecars.Format format)
      throws IOException, InterruptedException {
    Sidecars.Listing listing = new Sidecars(repository.root(), format).list();
    passOver(listing);
    List<Located> milestones = history.locate(listing.of(run));
    if (milestones.isEmpty()) {
      return Optional.empty();
    }
    Located best =
        milestones.reversed().stream()
            .filter(located -> located.commit() != null)
            .findFirst()
            .orElse(milestones.getLast());
    milestones.stream()
        .filter(located -> located.sidecar().milestoneIndex() > best.sidecar().milestoneIndex())
        .forEach(
            located ->
                notes.add(
                    "milestone %d (%s) cannot be gone on from: %s"
                        .formatted(
                            located.sidecar().milestoneIndex(),
                            located.sidecar().sha(),
                            located.describe())));
    noteNewerInLog(format.word(), best.sidecar().milestoneIndex());
    return Optional.of(checkpoint(format, best));
  }

  /** Its sidecar is lost, or is one of the malformed. */
  private void noteNewerInLog(String tool, int index) throws IOException, InterruptedException {
    for (History.LogEntry entry : history.log(MilestoneMessage.beginning(tool, run))) {
      OptionalInt other = MilestoneMessage.index(tool, run, entry.subject());
      if (other.isPresent() && other.getAsInt() > index) {
        notes.add(
            "the log has milestone %d (%s), which has no sidecar that can be read: the sidecars count"
                .formatted(other.getAsInt(), entry.commit()));
      }
    }
  }

  private void passOver(Sidecars.Listing listing) {
    malformed += listing.malformed().size();
    ofOthers += listing.sidecars().size() - listing.of(run).size();
    listing.malformed().stream()
        .limit(MOST_NAMED)
        .forEach(file -> notes.add(file.file() + " is passed over: " + file.reason()));
    if (listing.malformed().size() > MOST_NAMED) {
      notes.add(listing.malformed().size() - MOST_NAMED + " more malformed files are passed over");
    }
  }

  private static Checkpoint checkpoint(Sidecars.Format format, Located located) {
    Sidecar sidecar = located.sidecar();
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

  /** One that a message tells of. */
  private record Told(History.LogEntry entry, int index, boolean own) {}

  /**
   * @param tool null for messages that name neither tool nor run
   */
  private Optional<Checkpoint> byLog(@Nullable String tool, Function<String, OptionalInt> indexOf)
      throws IOException, InterruptedException {
    String text = tool == null ? ": checkpoint milestone " : MilestoneMessage.beginning(tool, run);
    List<Told> told = new ArrayList<>();
    for (History.LogEntry entry : history.log(text)) {
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
    // The highest number; of several the newest commit, which comes first.
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
