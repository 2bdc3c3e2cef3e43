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
 * From where a run can go on, as its repository tells. Immutable.
 *
 * @param checkpoint the newest milestone that the history has; where it has none, the newest that
 *     was ever made; empty for none
 * @param drift where the recorded state says another milestone: the checkpoint counts
 * @param malformed files that should be sidecars and are none: passed over
 * @param ofOthers how many sidecars of other runs were passed over
 * @param notes what a person should know, one line each
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
   * A milestone to go on from.
   *
   * @param format whose words it was found by: {@code baton}, {@code runr}, or {@code unnamed}
   *     where they name no run
   * @param sha as it was made, as far as known
   * @param commit that has it now; empty where what is checked out does not have it
   * @param location a word: {@code ok rewritten squashed unreachable missing}
   * @param description of the location, one line
   * @param title empty where only a log tells of it
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

  /** The recorded state and the checkpoint disagree. */
  public record Drift(int recordedIndex, int checkpointIndex) {}

  /** Whether what is checked out has all that the checkpoint has, or there is none to have. */
  public boolean isUsable() {
    return checkpoint.isEmpty() || checkpoint.get().commit().isPresent();
  }

  /** The milestone to work on next, from 0. */
  public int nextMilestone() {
    return checkpoint.map(found -> found.milestoneIndex() + 1).orElse(0);
  }

  /** This, held against what is recorded elsewhere: the newest milestone's number, -1 for none. */
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
