/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;

/**
 * Creates missing topics. Idempotent, so every service calls it at startup, in any order. Existing
 * topics are not changed: an operator's settings take precedence.
 */
public final class TopicBootstrap {
  /** Partitions of every topic; a run's records are all in one of them. */
  public static final int PARTITIONS = 8;

  private static final int MOST_REPLICAS = 3;

  private static final Duration WEEK = Duration.ofDays(7);
  private static final Duration DAY = Duration.ofDays(1);

  private static final List<String> NAMES =
      Stream.concat(
              TopicName.READ.stream().flatMap(name -> Stream.of(name, TopicName.deadLetters(name))),
              // Not read by Baton, so it needs no dead-letter topic.
              Stream.of(TopicName.NOTIFICATIONS))
          .toList();

  private TopicBootstrap() {}

  /**
   * Blocks until the topics exist. Missing topics are created with as many replicas as brokers are
   * available at this moment, at most three: on a cluster, start the services when all brokers are
   * available, or create the topics beforehand. With three replicas a record is acknowledged by two
   * of them ({@code min.insync.replicas}), with one or two, by one. With a single replica every
   * message of the trace is flushed to disk before it is acknowledged.
   *
   * @param patience time limit for all calls together
   * @throws TimeoutException when the brokers did not answer in time
   * @throws ExecutionException when they refused
   */
  public static void ensure(Admin admin, Duration patience)
      throws InterruptedException, ExecutionException, TimeoutException {
    Deadline deadline = new Deadline(patience);
    Set<String> present = deadline.get(admin.listTopics().names());
    if (present.containsAll(NAMES)) {
      return;
    }
    int brokers = deadline.get(admin.describeCluster().nodes()).size();
    List<NewTopic> missing =
        wanted(Math.min(MOST_REPLICAS, brokers)).stream()
            .filter(topic -> !present.contains(topic.name()))
            .toList();
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

  /** A common time limit for several waits. */
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

  /** Returns the configuration of all topics. */
  static List<NewTopic> wanted(int replication) {
    return NAMES.stream().map(name -> topic(name, replication)).toList();
  }

  private static Duration retention(String name) {
    return switch (name) {
      case TopicName.HEARTBEATS -> Duration.ofHours(1);
      case TopicName.SIGNALS -> DAY;
      default -> WEEK;
    };
  }

  private static NewTopic topic(String name, int replication) {
    Map<String, String> config = new HashMap<>();
    config.put(TopicConfig.RETENTION_MS_CONFIG, Long.toString(retention(name).toMillis()));
    // Uses the broker's clock: with a wrong producer clock, records would be refused, or deleted as
    // expired.
    config.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime");
    config.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, replication >= 3 ? "2" : "1");
    if (replication == 1 && name.equals(TopicName.TRACE)) {
      config.put(TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG, "1");
    }
    return new NewTopic(name, PARTITIONS, (short) replication).configs(config);
  }
}
