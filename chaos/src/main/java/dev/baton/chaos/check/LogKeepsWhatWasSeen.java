/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.check;

import dev.baton.chaos.history.Logged;
import dev.baton.chaos.history.Seen;
import java.util.HashMap;
import java.util.Map;

/** What was once read from the log stays where it was. */
final class LogKeepsWhatWasSeen implements Invariant {
  @Override
  public String name() {
    return "log-keeps-what-was-seen";
  }

  @Override
  public String says() {
    return "every record that was once read from the log is still there, at its place";
  }

  @Override
  public void check(Evidence evidence, Findings findings) {
    Map<String, Logged> log = new HashMap<>();
    for (Logged record : evidence.history().log()) {
      log.put(record.partition() + ":" + record.offset(), record);
    }
    for (Seen seen : evidence.history().seen()) {
      findings.checked();
      Logged record = log.get(seen.partition() + ":" + seen.offset());
      if (record == null || !record.id().equals(seen.id())) {
        String run = seen.id().split("/", -1)[0];
        Violation violation =
            Violation.of(
                run,
                "%s was seen at %d:%d after %d ms, and is not there"
                    .formatted(seen.id(), seen.partition(), seen.offset(), seen.atMs()));
        findings.violated(record == null ? violation : violation.with(record));
      }
    }
  }
}
