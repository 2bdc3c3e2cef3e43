/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.LedgerEffect;

/** Checks fencing order: no record or effect of an epoch before it is assigned. */
final class AssignmentOrderInvariant implements InvariantCheck {
  @Override
  public void check(RunHistoryIndex evidence, ViolationCollector findings) {
    for (RunLogReplay reading : evidence.readings()) {
      for (JudgedRecord placed : reading.records()) {
        findings.checked();
        if (placed.standing() == RecordVerdict.EARLY) {
          findings.violated(
              InvariantViolation.of(
                      reading.run(),
                      "epoch %d wrote before it was assigned".formatted(placed.record().epoch()))
                  .with(placed.record()));
        }
      }
      for (LedgerEffect effect : evidence.effects(reading.run())) {
        findings.checked();
        if (effect.epoch() != 0 && !reading.assigned().contains(effect.epoch())) {
          findings.violated(
              InvariantViolation.of(
                      reading.run(),
                      "epoch %d had an effect and was never assigned".formatted(effect.epoch()))
                  .with(effect));
        }
      }
    }
  }
}
