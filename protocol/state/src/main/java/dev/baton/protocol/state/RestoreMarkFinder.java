/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.trace.TraceEvent;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/** Finds the events of a run whose state a fold has to keep. Thread-safe. */
public final class RestoreMarkFinder {
  private RestoreMarkFinder() {}

  /**
   * Returns the ids of the events whose state a later event restores. They are required to fold a
   * run with such events.
   *
   * @param events which include at least the run's {@code resume_requested} and {@code
   *     run_degraded} events
   */
  public static Set<String> find(Collection<? extends TraceEvent> events) {
    Set<String> marks = new HashSet<>();
    for (TraceEvent event : events) {
      String after =
          switch (event) {
            case TraceEvent.ResumeRequested resume -> resume.after();
            case TraceEvent.RunDegraded lost -> lost.after();
            case TraceEvent.Control other -> null;
            case TraceEvent.Runner other -> null;
          };
      if (after != null) {
        marks.add(after);
      }
    }
    return marks;
  }
}
