/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.LoggedRecord;
import java.util.HashMap;
import java.util.Map;

/**
 * Checks that the accepted records of a lane are numbered without gaps, and that an id identifies
 * one event.
 */
final class LaneSequenceInvariant implements InvariantCheck {
  @Override
  public void check(RunHistoryIndex evidence, ViolationCollector findings) {
    for (RunLogReplay reading : evidence.readings()) {
      Map<Integer, Long> last = new HashMap<>();
      Map<String, LoggedRecord> byId = new HashMap<>();
      for (JudgedRecord placed : reading.records()) {
        findings.checked();
        LoggedRecord record = placed.record();
        long before = last.getOrDefault(record.epoch(), 0L);
        if ((placed.counts() || placed.standing() == RecordVerdict.AFTER_END)
            && record.seq() != before + 1) {
          findings.violated(
              InvariantViolation.of(reading.run(), record.id() + " follows seq " + before)
                  .with(record));
        }
        last.merge(record.epoch(), record.seq(), Math::max);
        LoggedRecord first = byId.putIfAbsent(record.id(), record);
        if (first != null
            && !(first.type().equals(record.type()) && first.data().equals(record.data()))) {
          findings.violated(
              InvariantViolation.of(reading.run(), record.id() + " identifies two different events")
                  .with(first, record));
        }
      }
    }
  }
}
