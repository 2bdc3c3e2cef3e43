/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import dev.baton.cli.client.ApiRunEvent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Summarizes repeated work in a run's trace.
 *
 * @param completed number of completed steps, each visit counted
 * @param repeated visits of steps that started or completed again after their completion, without a
 *     reason
 * @param withoutCut completions whose files could not be stored; work after them may be repeated
 * @param fenced events of a replaced runner, which are ignored
 */
record TraceCheck(int completed, List<String> repeated, int withoutCut, int fenced) {

  static TraceCheck of(List<ApiRunEvent> events) {
    Set<String> done = new HashSet<>();
    List<String> repeated = new ArrayList<>();
    int epoch = 0;
    int withoutCut = 0;
    int fenced = 0;
    for (ApiRunEvent event : events) {
      if (event.type().equals("runner_assigned")) {
        epoch = event.data().path("epoch").asInt();
      } else if (event.epoch() > 0 && event.epoch() < epoch) {
        fenced++;
      } else if (event.type().equals("step_started") && done.contains(event.stepVisit())) {
        repeated.add(event.stepVisit());
      } else if (event.type().equals("step_completed")) {
        if (event.data().path("without_cut").asBoolean(false)) {
          withoutCut++;
        } else if (!done.add(event.stepVisit()) && withoutCut == 0) {
          repeated.add(event.stepVisit());
        }
      }
    }
    return new TraceCheck(done.size(), List.copyOf(repeated), withoutCut, fenced);
  }
}
