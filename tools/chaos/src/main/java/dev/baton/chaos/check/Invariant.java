/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import java.util.List;

/**
 * A guarantee of the system that is checked against a history: its name in reports, which never
 * changes, its description, and its check.
 */
record Invariant(String name, String says, InvariantCheck check) {
  /** All invariants, in the order of the report. */
  static final List<Invariant> ALL =
      List.of(
          new Invariant(
              "acknowledged-run-survives",
              "every run that the API has acknowledged is in the log, and found by the API from then on",
              new AcknowledgedRunInvariant()),
          new Invariant(
              "acknowledged-answer-survives",
              "every answer to an approval that the API has acknowledged is in the log",
              new AcknowledgedAnswerInvariant()),
          new Invariant(
              "log-keeps-what-was-seen",
              "every record that was once read from the log is still there, at its offset",
              new LogDurabilityInvariant()),
          new Invariant(
              "acknowledged-completion-survives",
              "every acknowledged step completion survives, in the log and in the store's copy of it",
              new CompletionDurabilityInvariant()),
          new Invariant(
              "completed-step-stays",
              "no completed step runs again, except one whose files could not be stored",
              new NoStepRerunInvariant()),
          new Invariant(
              "old-epoch-has-no-effect",
              "no effect by an old epoch after the new epoch's first effect",
              new EpochFencingInvariant()),
          new Invariant(
              "one-runner-per-epoch",
              "epochs increase by one, each is assigned once, and only one runner acts in it",
              new EpochOwnershipInvariant()),
          new Invariant(
              "fence-comes-first",
              "no record and no effect of an epoch that was not assigned before",
              new AssignmentOrderInvariant()),
          new Invariant(
              "lanes-have-no-holes",
              "the accepted records of each lane have every seq from 1 on, and an id always identifies one event",
              new LaneSequenceInvariant()),
          new Invariant(
              "records-are-at-home",
              "all records of a run are in its home partition, which the API returns",
              new HomePartitionInvariant()),
          new Invariant(
              "degraded-has-a-cause",
              "a run is degraded only after a checkpoint was damaged, and the API reports it",
              new DegradedResumeInvariant()),
          new Invariant(
              "output-as-undisturbed",
              "a run's output, in the log and in the API, equals that of an undisturbed run of the same",
              new OutputEqualityInvariant()),
          new Invariant(
              "every-run-ends",
              "every run completes, at the latest within the bound after faults have stopped, and the API"
                  + " reports it",
              new RunTerminationInvariant()),
          new Invariant(
              "api-follows-the-log",
              "each API response matches a prefix of the log, and never an older one than before",
              new ApiPrefixConsistencyInvariant()));
}
