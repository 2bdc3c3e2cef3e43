/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.LedgerEffect;
import dev.baton.chaos.history.LoggedRecord;
import java.util.HashMap;
import java.util.Map;

/** Checks that epochs increase by one, and that each is held by one runner. */
final class EpochOwnershipInvariant implements InvariantCheck {
  @Override
  public void check(RunHistoryIndex evidence, ViolationCollector findings) {
    for (RunLogReplay reading : evidence.readings()) {
      assignments(reading, findings);
      runners(reading, findings);
      attempts(reading, evidence, findings);
    }
  }

  private static void assignments(RunLogReplay reading, ViolationCollector findings) {
    int last = 0;
    for (JudgedRecord placed : reading.records()) {
      LoggedRecord record = placed.record();
      if (!placed.counts() || !record.is("runner_assigned")) {
        continue;
      }
      findings.checked();
      int epoch = record.data().path("epoch").asInt();
      if (epoch != last + 1) {
        findings.violated(
            InvariantViolation.of(
                    reading.run(), "epoch %d is assigned after epoch %d".formatted(epoch, last))
                .with(record));
      }
      last = Math.max(last, epoch);
    }
  }

  private static void runners(RunLogReplay reading, ViolationCollector findings) {
    Map<Integer, LoggedRecord> started = new HashMap<>();
    for (JudgedRecord placed : reading.records()) {
      LoggedRecord record = placed.record();
      if (!record.is("runner_started")) {
        continue;
      }
      findings.checked();
      LoggedRecord first = started.putIfAbsent(record.epoch(), record);
      if (first != null && !first.data().equals(record.data())) {
        findings.violated(
            InvariantViolation.of(
                    reading.run(),
                    "%s and %s both began epoch %d"
                        .formatted(first.text("runner"), record.text("runner"), record.epoch()))
                .with(first, record));
      }
    }
  }

  private static void attempts(
      RunLogReplay reading, RunHistoryIndex evidence, ViolationCollector findings) {
    Map<String, LedgerEffect> begun = new HashMap<>();
    for (LedgerEffect effect : evidence.effects(reading.run())) {
      if (effect.epoch() == 0 || !effect.kind().equals("begin")) {
        continue;
      }
      findings.checked();
      String attempt =
          "%s/%d attempt %d in epoch %d"
              .formatted(effect.step(), effect.visit(), effect.attempt(), effect.epoch());
      LedgerEffect first = begun.putIfAbsent(attempt, effect);
      if (first != null) {
        findings.violated(
            InvariantViolation.of(reading.run(), attempt + " began twice").with(first, effect));
      }
    }
  }
}
