/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.TopicConfig;

/**
 * Checks the settings of an existing topic: whether it may lose records that were acknowledged, or
 * that are still needed.
 *
 * <pre>
 *   every topic             copies                          baton.topics.min-replicas or more
 *   trace, signals          min.insync.replicas             2 with three copies, otherwise 1; at most the copies
 *   trace, signals          unclean.leader.election.enable  false
 *   trace, signals, logs    cleanup.policy                  delete
 *   trace                   retention.ms                    a day or more, or -1
 *   trace                   retention.bytes                 1 GiB or more, or -1
 *   trace, with one copy    flush.messages                  1
 * </pre>
 */
final class TopicChecker {
  private static final long MIN_RETENTION_MS = Duration.ofDays(1).toMillis();
  private static final long MIN_RETENTION_BYTES = 1L << 30;
  private static final Set<String> DURABLE = Set.of(TopicName.TRACE, TopicName.SIGNALS);

  private final String name;
  private final int copies;
  private final Map<String, String> settings;
  private final List<String> problems = new ArrayList<>();

  private TopicChecker(String name, int copies, Map<String, String> settings) {
    this.name = name;
    this.copies = copies;
    this.settings = settings;
  }

  /**
   * Returns one line per problem.
   *
   * @param copies the smallest number of replicas of a partition
   * @param settings the effective ones, including defaults of the brokers; missing ones are not
   *     checked
   */
  static List<String> problems(
      String name, int copies, Map<String, String> settings, TopicRequirements requirements) {
    TopicChecker checker = new TopicChecker(name, copies, settings);
    checker.copies(requirements.minReplicas());
    if (DURABLE.contains(name)) {
      checker.acknowledgement();
    }
    if (DURABLE.contains(name) || name.equals(TopicName.LOGS)) {
      checker.mustBe(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_DELETE);
    }
    if (name.equals(TopicName.TRACE)) {
      checker.retention(TopicConfig.RETENTION_MS_CONFIG, MIN_RETENTION_MS);
      checker.retention(TopicConfig.RETENTION_BYTES_CONFIG, MIN_RETENTION_BYTES);
      if (copies == 1) {
        checker.mustBe(TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG, "1");
      }
    }
    return List.copyOf(checker.problems);
  }

  private void copies(int least) {
    if (copies < least) {
      problems.add(
          "topic %s: replication factor is %d; allowed: %d or more (baton.topics.min-replicas). Fix it with kafka-reassign-partitions.sh --bootstrap-server BROKER --reassignment-json-file FILE --execute"
              .formatted(name, copies, least));
    }
  }

  private void acknowledgement() {
    String setting = TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG;
    String value = settings.get(setting);
    int least = copies >= 3 ? 2 : 1;
    if (value != null && (number(value) < least || number(value) > copies)) {
      String allowed = least == copies ? Integer.toString(least) : least + " to " + copies;
      wrong(setting, value, allowed, Integer.toString(least));
    }
    mustBe(TopicConfig.UNCLEAN_LEADER_ELECTION_ENABLE_CONFIG, "false");
  }

  private void mustBe(String setting, String wanted) {
    String value = settings.get(setting);
    if (value != null && !value.equals(wanted)) {
      wrong(setting, value, wanted, wanted);
    }
  }

  private void retention(String setting, long least) {
    String value = settings.get(setting);
    if (value != null && number(value) >= 0 && number(value) < least) {
      wrong(setting, value, least + " or more, or -1", "-1");
    }
  }

  private static long number(String value) {
    return Long.parseLong(value.trim());
  }

  private void wrong(String setting, String value, String allowed, String mend) {
    problems.add(
        "topic %s: %s is %s; allowed: %s. Fix it with kafka-configs.sh --bootstrap-server BROKER --alter --entity-type topics --entity-name %s --add-config %s=%s"
            .formatted(name, setting, value, allowed, name, setting, mend));
  }
}
