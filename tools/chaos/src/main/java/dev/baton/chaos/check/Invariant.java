/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import java.util.List;

/** A guarantee of the system that is checked against a history. Stateless. */
interface Invariant {
  /** All invariants, in the order of the report. */
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

  /** Its name in reports; never changes. */
  String name();

  /** Description of the guarantee. */
  String says();

  void check(RunHistoryIndex evidence, ViolationCollector findings);
}
