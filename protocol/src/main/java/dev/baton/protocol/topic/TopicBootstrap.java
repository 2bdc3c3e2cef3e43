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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;

/**
 * Creates the topics that are missing. Idempotent, so every service calls it at start, in whatever
 * order they come up. Existing topics are left as they are: an operator's settings win.
 */
public final class TopicBootstrap {
  /** Partitions of every topic; a run's records are in one of them. */
  public static final int PARTITIONS = 8;

  private static final Duration WEEK = Duration.ofDays(7);
  private static final Duration DAY = Duration.ofDays(1);

  private TopicBootstrap() {}

  /**
   * Blocks until the topics exist. Where the cluster has a single broker, replication is 1 and the
   * trace flushes every message to disk before it is acknowledged; otherwise replication is min(3,
   * brokers) with min.insync.replicas of 2.
   *
   * @throws TimeoutException when the brokers did not answer within the patience
   * @throws ExecutionException when they refused
   */
  public static void ensure(Admin admin, Duration patience)
      throws InterruptedException, ExecutionException, TimeoutException {
    long millis = patience.toMillis();
    int brokers = admin.describeCluster().nodes().get(millis, TimeUnit.MILLISECONDS).size();
    Set<String> present = admin.listTopics().names().get(millis, TimeUnit.MILLISECONDS);
    List<NewTopic> missing = new ArrayList<>();
    for (NewTopic topic : wanted(brokers)) {
      if (!present.contains(topic.name())) {
        missing.add(topic);
      }
    }
    if (missing.isEmpty()) {
      return;
    }
    for (var created : admin.createTopics(missing).values().entrySet()) {
      try {
        created.getValue().get(millis, TimeUnit.MILLISECONDS);
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof TopicExistsException)) {
          throw e;
        }
      }
    }
  }

  /** All topics as they are created on a cluster of so many brokers. */
  static List<NewTopic> wanted(int brokers) {
    List<NewTopic> topics = new ArrayList<>();
    for (String name : List.of(Topics.TRACE, Topics.HEARTBEATS, Topics.SIGNALS, Topics.LOGS)) {
      topics.add(topic(name, brokers, retention(name)));
      topics.add(topic(Topics.deadLetters(name), brokers, WEEK));
    }
    return topics;
  }

  private static Duration retention(String name) {
    return switch (name) {
      case Topics.HEARTBEATS -> Duration.ofHours(1);
      case Topics.SIGNALS -> DAY;
      default -> WEEK;
    };
  }

  private static NewTopic topic(String name, int brokers, Duration retention) {
    Map<String, String> config = new java.util.HashMap<>();
    config.put(TopicConfig.RETENTION_MS_CONFIG, Long.toString(retention.toMillis()));
    config.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, brokers >= 3 ? "2" : "1");
    if (brokers == 1 && name.equals(Topics.TRACE)) {
      config.put(TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG, "1");
    }
    return new NewTopic(name, PARTITIONS, (short) Math.min(3, brokers)).configs(config);
  }
}
