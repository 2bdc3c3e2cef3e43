/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.store.config.StoreConfig;
import dev.baton.store.testing.StoreTestConfigFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetentionPolicyTest {
  private static final Instant NOW = Instant.parse("2026-11-22T08:00:00Z");
  private final RetentionPolicy policy = new RetentionPolicy(10, Duration.ofHours(168), true, true);

  @Test
  void shouldKeepTheNewestTen() {
    assertThat(policy.unwanted(minutesOld("periodic", 15), NOW))
        .containsExactly("periodic10", "periodic11", "periodic12", "periodic13", "periodic14");
  }

  @Test
  void shouldNotKeepWhatIsOlderThanAWeek() {
    List<RetentionPolicy.Candidate> two =
        List.of(
            new RetentionPolicy.Candidate(
                "old", "manual", NOW.minus(Duration.ofHours(168)).minusMillis(1)),
            new RetentionPolicy.Candidate("young", "manual", NOW.minus(Duration.ofHours(168))));

    assertThat(policy.unwanted(two, NOW)).containsExactly("old");
  }

  @Test
  void shouldKeepThoseOfAnEndOrAnErrorUncounted() {
    List<RetentionPolicy.Candidate> all = new ArrayList<>(minutesOld("step", 10));
    all.addAll(minutesOld("error", 20));
    all.add(new RetentionPolicy.Candidate("end", "complete", NOW.minus(Duration.ofDays(400))));

    assertThat(policy.unwanted(all, NOW)).isEmpty();
    assertThat(new RetentionPolicy(10, Duration.ofHours(168), false, false).unwanted(all, NOW))
        .hasSize(21)
        .contains("end");
  }

  @Test
  void shouldNotDependOnTheOrder() {
    long seed = new Random().nextLong();
    List<RetentionPolicy.Candidate> all = new ArrayList<>(minutesOld("step", 30));
    List<String> expected = policy.unwanted(all, NOW);
    Collections.shuffle(all, new Random(seed));

    assertThat(policy.unwanted(all, NOW)).as("seed %d", seed).isEqualTo(expected);
  }

  @Test
  void shouldTakeTheWorkflowsWordBeforeTheProjectsBeforeTheInstallations() {
    StoreConfig.Retention config =
        config(
            Map.of(
                "baton.retention.max-checkpoints", "5",
                "baton.retention.projects.\"lab\".max-checkpoints", "6",
                "baton.retention.projects.\"lab\".keep-error", "false",
                "baton.retention.workflows.\"nightly build\".max-checkpoints", "7"));

    assertThat(RetentionPolicy.of(config, "default", "flow").max()).isEqualTo(5);
    assertThat(RetentionPolicy.of(config, "lab", "flow"))
        .isEqualTo(new RetentionPolicy(6, Duration.ofHours(168), true, false));
    assertThat(RetentionPolicy.of(config, "lab", "nightly build"))
        .isEqualTo(new RetentionPolicy(7, Duration.ofHours(168), true, false));
  }

  private static List<RetentionPolicy.Candidate> minutesOld(String trigger, int count) {
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                new RetentionPolicy.Candidate(
                    trigger + i, trigger, NOW.minus(Duration.ofMinutes(i))))
        .toList();
  }

  private static StoreConfig.Retention config(Map<String, String> values) {
    return StoreTestConfigFactory.of(values).retention();
  }
}
