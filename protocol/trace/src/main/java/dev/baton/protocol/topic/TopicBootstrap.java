/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import dev.baton.protocol.retry.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Creates missing topics and checks existing ones. Idempotent, so every service calls it at
 * startup, in any order. Existing topics are not changed: an operator's settings take precedence,
 * unless they may lose records.
 */
public final class TopicBootstrap {
  /** Partitions of a new topic; every topic may get more at any time. */
  public static final int PARTITIONS = 8;

  /** Between two requests, while brokers are missing or a new topic is not known everywhere. */
  private static final Duration PAUSE = Duration.ofMillis(200);

  /** Time that is kept for the last request. */
  private static final Duration REQUEST = Duration.ofMillis(200);

  private static final Duration QUARTER = Duration.ofDays(90);
  private static final Duration WEEK = Duration.ofDays(7);
  private static final Duration DAY = Duration.ofDays(1);

  private static final List<String> NAMES =
      Stream.concat(
              TopicName.READ.stream().flatMap(name -> Stream.of(name, TopicName.deadLetters(name))),
              // Not read by Baton, so they need no dead-letter topic.
              Stream.of(TopicName.NOTIFICATIONS, TopicName.AUDIT))
          .toList();

  private static final List<ConfigResource> RESOURCES =
      NAMES.stream().map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name)).toList();

  private TopicBootstrap() {}

  /** Like {@link #ensure(Admin, Duration, TopicRequirements)}, with the default requirements. */
  public static List<String> ensure(Admin admin, Duration patience)
      throws InterruptedException, ExecutionException, TimeoutException {
    return ensure(admin, patience, TopicRequirements.DEFAULT);
  }

  /**
   * Creates missing topics, and checks the settings of all, as {@link TopicChecker} describes.
   *
   * <p>Missing topics are created with as many replicas as brokers are available, at most three.
   * With three replicas a record is acknowledged by two of them ({@code min.insync.replicas}), with
   * one or two, by one. With a single replica every message of the trace is flushed to disk before
   * it is acknowledged. While fewer brokers are available than {@code minReplicas}, nothing is
   * created.
   *
   * @param patience time limit for all calls together
   * @return warnings, one line each: topics with two replicas that were just created, and problems
   *     that {@code allowUnsafe} permits
   * @throws UnsafeTopicException when a topic does not have what is required
   * @throws TimeoutException when the brokers did not answer in time, or fewer than required were
   *     available all the time; the message states which
   * @throws ExecutionException when they refused
   */
  public static List<String> ensure(Admin admin, Duration patience, TopicRequirements requirements)
      throws InterruptedException, ExecutionException, TimeoutException {
    Deadline deadline = new Deadline(patience);
    List<String> warnings = new ArrayList<>();
    if (!deadline.get(admin.listTopics().names()).containsAll(NAMES)) {
      int brokers = brokers(admin, deadline, requirements.minReplicas());
      create(admin, deadline, Math.min(TopicRequirements.MAX_REPLICAS, brokers));
      if (brokers == 2) {
        warnings.add(
            "topics were created with two copies, of which one acknowledges a record: the loss of one broker may lose acknowledged records. Start three brokers before the first start of the services, or add copies with kafka-reassign-partitions.sh and set min.insync.replicas=2");
      }
    }
    List<String> problems = problems(admin, deadline, requirements, warnings);
    if (!problems.isEmpty() && !requirements.allowUnsafe()) {
      throw new UnsafeTopicException(
          String.join("\n", problems)
              + "\nTo start nevertheless, although records may be lost: baton.topics.allow-unsafe=true");
    }
    warnings.addAll(problems);
    return List.copyOf(warnings);
  }

  /** Waits for enough brokers; returns how many there are. */
  private static int brokers(Admin admin, Deadline deadline, int wanted)
      throws InterruptedException, ExecutionException, TimeoutException {
    int brokers = deadline.get(admin.describeCluster().nodes()).size();
    while (brokers < wanted) {
      TimeoutException missing =
          new TimeoutException(
              "%d brokers are available, the topics need %d copies (baton.topics.min-replicas): no topic was created. Start the other brokers"
                  .formatted(brokers, wanted));
      if (!deadline.pause()) {
        throw missing;
      }
      try {
        brokers = deadline.get(admin.describeCluster().nodes()).size();
      } catch (TimeoutException e) {
        missing.initCause(e);
        throw missing;
      }
    }
    return brokers;
  }

  private static void create(Admin admin, Deadline deadline, int replication)
      throws InterruptedException, ExecutionException, TimeoutException {
    Set<String> present = deadline.get(admin.listTopics().names());
    List<NewTopic> missing =
        wanted(replication).stream().filter(topic -> !present.contains(topic.name())).toList();
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

  private static List<String> problems(
      Admin admin, Deadline deadline, TopicRequirements requirements, List<String> warnings)
      throws InterruptedException, ExecutionException, TimeoutException {
    while (true) {
      try {
        return check(
            deadline.get(admin.describeTopics(NAMES).allTopicNames()),
            deadline.get(admin.describeConfigs(RESOURCES).all()),
            requirements);
      } catch (ExecutionException e) {
        if (e.getCause() instanceof AuthorizationException) {
          warnings.add(
              "the settings of the topics are not checked, the service may not read them: "
                  + e.getCause().getMessage());
          return List.of();
        }
        // A broker has a new topic a moment after the controller has created it.
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException) || !deadline.pause()) {
          throw e;
        }
      }
    }
  }

  private static List<String> check(
      Map<String, TopicDescription> topics,
      Map<ConfigResource, Config> configs,
      TopicRequirements requirements) {
    List<String> problems = new ArrayList<>();
    for (String name : NAMES) {
      int copies =
          Objects.requireNonNull(topics.get(name)).partitions().stream()
              .mapToInt(partition -> partition.replicas().size())
              .min()
              .orElse(0);
      Map<String, String> settings = new HashMap<>();
      Objects.requireNonNull(configs.get(new ConfigResource(ConfigResource.Type.TOPIC, name)))
          .entries()
          .forEach(
              entry -> {
                if (entry.value() != null) {
                  settings.put(entry.name(), entry.value());
                }
              });
      problems.addAll(TopicChecker.problems(name, copies, settings, requirements));
    }
    return problems;
  }

  /** A common time limit for several waits. */
  private static final class Deadline {
    private final Backoff pauses = Backoff.constant(PAUSE);
    private final long end;

    Deadline(Duration patience) {
      end = System.nanoTime() + patience.toNanos();
    }

    /** Pauses before a repetition; returns false, at once, when no time is left. */
    boolean pause() throws InterruptedException {
      return pauses.pauseBefore(end - REQUEST.toNanos());
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
      case TopicName.AUDIT -> QUARTER;
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
