/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import java.util.List;

/** A promise of the system that a history shows kept or broken. Stateless. */
interface Invariant {
  /** All of them, in the order in which they are reported. */
  List<Invariant> ALL =
      List.of(
          new AcknowledgedRunInvariant(),
          new AcknowledgedAnswerInvariant(),
          new LogDurabilityInvariant(),
          new CompletionDurabilityInvariant(),
          new NoStepRerunInvariant(),
          new EpochFencingInvariant(),
          new EpochOwnershipInvariant(),
          new AssignmentOrderInvariant(),
          new LaneSequenceInvariant(),
          new OutputEqualityInvariant(),
          new RunTerminationInvariant(),
          new ApiPrefixConsistencyInvariant());

  /** Its name in reports, for good. */
  String name();

  /** The promise, for people. */
  String says();

  void check(RunHistoryIndex evidence, ViolationCollector findings);
}
