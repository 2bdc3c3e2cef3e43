/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.plan;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The checkpoint from which a run can resume, according to its repository. Immutable.
 *
 * @param checkpoint the newest milestone in the history; if the history has none, the newest
 *     recorded one; empty for none
 * @param drift the difference from the recorded state, where they disagree; the checkpoint takes
 *     precedence
 * @param malformed number of files in the sidecars' place that are not valid sidecars; they are
 *     skipped
 * @param ofOthers number of skipped sidecars that are of other runs
 * @param notes information for a person, one line each
 */
public record ResumePlan(
    String run,
    ResumePlanSource source,
    Optional<Checkpoint> checkpoint,
    Optional<Drift> drift,
    int malformed,
    int ofOthers,
    List<String> notes) {
  public ResumePlan {
    notes = List.copyOf(notes);
  }

  /**
   * A milestone to resume from.
   *
   * @param format of the record that named it: {@code baton}, {@code runr}, or {@code unnamed} for
   *     messages without a run id
   * @param sha of the original commit, where recorded
   * @param commit that contains it now; empty where the checked-out history does not contain it
   * @param location one of {@code ok rewritten squashed unreachable missing}
   * @param description of the location, one line
   * @param title empty where only the log has the milestone
   */
  public record Checkpoint(
      String format,
      String sha,
      Optional<String> commit,
      int milestoneIndex,
      String location,
      String description,
      String title,
      Optional<String> tier,
      List<String> verificationCommands) {
    public Checkpoint {
      verificationCommands = List.copyOf(verificationCommands);
    }
  }

  /** A disagreement between the recorded state and the checkpoint. */
  public record Drift(int recordedIndex, int checkpointIndex) {}

  /** Whether the checked-out history contains the checkpoint, or the plan has none. */
  public boolean isUsable() {
    return checkpoint.isEmpty() || checkpoint.get().commit().isPresent();
  }

  /** The number of the next milestone, from 0. */
  public int nextMilestone() {
    return checkpoint.map(found -> found.milestoneIndex() + 1).orElse(0);
  }

  /**
   * Compares this plan with the newest milestone number recorded elsewhere, -1 for none; returns a
   * plan with the drift.
   */
  public ResumePlan against(OptionalInt recorded) {
    int found = nextMilestone() - 1;
    return recorded.isEmpty() || recorded.getAsInt() == found
        ? this
        : new ResumePlan(
            run,
            source,
            checkpoint,
            Optional.of(new Drift(recorded.getAsInt(), found)),
            malformed,
            ofOthers,
            notes);
  }
}
