/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.LoggedRecord;
import dev.baton.chaos.history.ObservedRecord;
import java.util.HashMap;
import java.util.Map;

/** Checks that each record once read from the log stays at its offset. */
final class LogDurabilityInvariant implements InvariantCheck {
  @Override
  public void check(RunHistoryIndex evidence, ViolationCollector findings) {
    Map<String, LoggedRecord> log = new HashMap<>();
    for (LoggedRecord record : evidence.history().log()) {
      log.put(record.partition() + ":" + record.offset(), record);
    }
    for (ObservedRecord seen : evidence.history().seen()) {
      findings.checked();
      LoggedRecord record = log.get(seen.partition() + ":" + seen.offset());
      if (record == null || !record.id().equals(seen.id())) {
        String run = seen.id().split("/", -1)[0];
        InvariantViolation violation =
            InvariantViolation.of(
                run,
                "%s was seen at %d:%d after %d ms, and is missing"
                    .formatted(seen.id(), seen.partition(), seen.offset(), seen.atMs()));
        findings.violated(record == null ? violation : violation.with(record));
      }
    }
  }
}
