/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.retention;

import dev.baton.store.config.StoreConfig;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides which checkpoints of a run are kept.
 *
 * @param max maximum number, newest first, not counting those that the two flags keep
 * @param maxAge maximum age, except for those that the two flags keep
 * @param keepComplete whether to keep those created at a run's completion, however many and old
 * @param keepError whether to keep checkpoints created at an error in the same way
 */
record RetentionPolicy(int max, Duration maxAge, boolean keepComplete, boolean keepError) {

  /** The properties of a checkpoint that retention depends on. */
  record Candidate(String id, String trigger, Instant createdAt) {
    static final Comparator<Candidate> OLDEST_FIRST =
        Comparator.comparing(Candidate::createdAt).thenComparing(Candidate::id);
  }

  /** Returns the configured policy for a workflow of a project. */
  static RetentionPolicy of(StoreConfig.Retention config, String project, String workflow) {
    RetentionPolicy policy =
        new RetentionPolicy(
            config.maxCheckpoints(), config.maxAge(), config.keepComplete(), config.keepError());
    return policy.with(config.projects().get(project)).with(config.workflows().get(workflow));
  }

  private RetentionPolicy with(StoreConfig.Retention.@Nullable Special special) {
    return special == null
        ? this
        : new RetentionPolicy(
            special.maxCheckpoints().orElse(max),
            special.maxAge().orElse(maxAge),
            special.keepComplete().orElse(keepComplete),
            special.keepError().orElse(keepError));
  }

  /** Returns the ids of the checkpoints to delete. A pure function. */
  List<String> unwanted(List<Candidate> ofOneRun, Instant now) {
    List<Candidate> newestFirst = new ArrayList<>(ofOneRun);
    newestFirst.sort(Candidate.OLDEST_FIRST.reversed());
    List<String> unwanted = new ArrayList<>();
    int kept = 0;
    for (Candidate each : newestFirst) {
      if ((keepComplete && each.trigger().equals("complete"))
          || (keepError && each.trigger().equals("error"))) {
        continue;
      }
      boolean old = Duration.between(each.createdAt(), now).compareTo(maxAge) > 0;
      if (old || ++kept > max) {
        unwanted.add(each.id());
      }
    }
    return unwanted;
  }
}
