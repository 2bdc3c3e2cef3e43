/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.LedgerEffect;
import org.jspecify.annotations.Nullable;

/**
 * Checks that fencing includes the effects of steps: none of the old runner after the first of the
 * new one.
 */
final class EpochFencingInvariant implements InvariantCheck {
  @Override
  public void check(RunHistoryIndex evidence, ViolationCollector findings) {
    for (RunLogReplay reading : evidence.readings()) {
      @Nullable LedgerEffect newest = null;
      for (LedgerEffect effect : evidence.effects(reading.run())) {
        if (effect.epoch() == 0) {
          continue;
        }
        findings.checked();
        if (newest == null || effect.epoch() > newest.epoch()) {
          newest = effect;
        } else if (effect.epoch() < newest.epoch()) {
          findings.violated(
              InvariantViolation.of(
                      reading.run(),
                      "epoch %d had an effect after the first effect of epoch %d"
                          .formatted(effect.epoch(), newest.epoch()))
                  .with(newest, effect));
        }
      }
    }
  }
}
