/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;

/**
 * Creates the topics that are missing. Idempotent, so every service calls it at start, in whatever
 * order they come up. Existing topics are left as they are: an operator's settings win.
 */
public final class TopicBootstrap {
  /** Partitions of every topic; a run's records are in one of them. */
  public static final int PARTITIONS = 8;

  /** Replicas where nobody says how many. */
  private static final int MOST = 3;

  private static final Duration WEEK = Duration.ofDays(7);
  private static final Duration DAY = Duration.ofDays(1);

  private TopicBootstrap() {}

  /**
   * {@link #ensure(Admin, int, Duration)} with as many replicas as brokers are up at this moment,
   * three at most. On a cluster of several brokers say how many are wanted instead: whoever starts
   * while one of three brokers is down would make topics with two replicas for good.
   */
  public static void ensure(Admin admin, Duration patience)
      throws InterruptedException, ExecutionException, TimeoutException {
    Deadline deadline = new Deadline(patience);
    create(admin, Math.min(MOST, brokers(admin, deadline)), deadline);
  }

  /**
   * Blocks until the topics exist. With three replicas and more, a record is acknowledged when two
   * have it ({@code min.insync.replicas}), with two or one, when one has. With a single replica the
   * trace flushes every message to disk before it is acknowledged.
   *
   * @param replication replicas of each topic that is made, 1 to {@value Short#MAX_VALUE}
   * @param patience for all of it
   * @throws IllegalStateException when topics are missing and there are fewer brokers than that
   * @throws TimeoutException when the brokers did not answer within the patience
   * @throws ExecutionException when they refused
   */
  public static void ensure(Admin admin, int replication, Duration patience)
      throws InterruptedException, ExecutionException, TimeoutException {
    if (replication < 1 || replication > Short.MAX_VALUE) {
      throw new IllegalArgumentException(
          "replication " + replication + " is out of bounds; allowed: 1 to " + Short.MAX_VALUE);
    }
    create(admin, replication, new Deadline(patience));
  }

  private static void create(Admin admin, int replication, Deadline deadline)
      throws InterruptedException, ExecutionException, TimeoutException {
    Set<String> present = deadline.get(admin.listTopics().names());
    List<NewTopic> missing =
        wanted(replication).stream().filter(topic -> !present.contains(topic.name())).toList();
    if (missing.isEmpty()) {
      return;
    }
    int brokers = brokers(admin, deadline);
    if (brokers < replication) {
      throw new IllegalStateException(
          "%d brokers are up, %d replicas are wanted of the missing topics %s"
              .formatted(
                  brokers, replication, missing.stream().map(NewTopic::name).sorted().toList()));
    }
    for (var created : admin.createTopics(missing).values().values()) {
      try {
        deadline.get(created);
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof TopicExistsException)) {
          throw e;
        }
      }
    }
  }

  private static int brokers(Admin admin, Deadline deadline)
      throws InterruptedException, ExecutionException, TimeoutException {
    return deadline.get(admin.describeCluster().nodes()).size();
  }

  /** One for several waits. */
  private static final class Deadline {
    private final long end;

    Deadline(Duration patience) {
      end = System.nanoTime() + patience.toNanos();
    }

    <T> T get(KafkaFuture<T> future)
        throws InterruptedException, ExecutionException, TimeoutException {
      return future.get(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
    }
  }

  /** All topics as they are created. */
  static List<NewTopic> wanted(int replication) {
    List<NewTopic> topics = new ArrayList<>();
    for (String name : List.of(Topics.TRACE, Topics.HEARTBEATS, Topics.SIGNALS, Topics.LOGS)) {
      topics.add(topic(name, replication, retention(name)));
      topics.add(topic(Topics.deadLetters(name), replication, WEEK));
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

  private static NewTopic topic(String name, int replication, Duration retention) {
    Map<String, String> config = new HashMap<>();
    config.put(TopicConfig.RETENTION_MS_CONFIG, Long.toString(retention.toMillis()));
    config.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, replication >= 3 ? "2" : "1");
    if (replication == 1 && name.equals(Topics.TRACE)) {
      config.put(TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG, "1");
    }
    return new NewTopic(name, PARTITIONS, (short) replication).configs(config);
  }
}
