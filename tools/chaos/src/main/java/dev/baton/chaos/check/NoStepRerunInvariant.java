/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.LedgerEffect;
import dev.baton.chaos.history.LoggedRecord;

/** Checks that no completed step runs again. */
final class NoStepRerunInvariant implements InvariantCheck {
  @Override
  public void check(RunHistoryIndex evidence, ViolationCollector findings) {
    for (RunLogReplay reading : evidence.readings()) {
      reading.records().stream()
          .filter(placed -> placed.counts() && placed.record().is("step_completed"))
          .forEach(_ -> findings.checked());
      for (RunLogReplay.Repeat repeat : reading.repeats()) {
        findings.violated(
            InvariantViolation.of(
                    reading.run(), "step " + repeat.second().text("step") + " has completed twice")
                .with(repeat.first(), repeat.second()));
      }
      for (LedgerEffect effect : evidence.effects(reading.run())) {
        findings.checked();
        String visit = RunLogReplay.visit(effect.step(), effect.visit());
        LoggedRecord done = reading.stoodAt(effect.epoch()).get(visit);
        if (done != null) {
          findings.violated(
              InvariantViolation.of(
                      reading.run(),
                      "step %s had an effect in epoch %d, which began after the step completed"
                          .formatted(effect.step(), effect.epoch()))
                  .with(done)
                  .with(effect));
        }
      }
    }
  }
}
