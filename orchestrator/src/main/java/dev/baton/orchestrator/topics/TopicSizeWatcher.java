/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.topics;

import dev.baton.protocol.topic.HomePartitioner;
import dev.baton.protocol.topic.TopicName;
import dev.baton.server.PeriodicTask;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;

/**
 * Records how many partitions the topics of heartbeats and logs have, and have had: a writer keeps
 * the partition that it chose when the topic was smaller. A growth is stored in Postgres, so that a
 * replica that starts later has it too. Thread-safe.
 */
@ApplicationScoped
public class TopicSizeWatcher {
  /**
   * The time after a growth in which clients may still choose a partition by the smaller number:
   * the largest default among clients, {@code metadata.max.age.ms} of librdkafka.
   */
  static final Duration METADATA_AGE = Duration.ofMinutes(15);

  private static final Duration EVERY = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Set<String> WATCHED = Set.of(TopicName.HEARTBEATS, TopicName.LOGS);

  private final Admin admin;
  private final TopicSizeRepository repository;
  private final Map<String, NavigableMap<Integer, Instant>> sizes = new ConcurrentHashMap<>();

  /** The largest size that is in Postgres, by topic. */
  private final Map<String, Integer> stored = new ConcurrentHashMap<>();

  private final PeriodicTask counting =
      new PeriodicTask(
          "topic-sizes", EVERY, "topics: their sizes cannot be recorded, retrying", this::count);

  TopicSizeWatcher(Admin admin, TopicSizeRepository repository) {
    this.admin = admin;
    this.repository = repository;
  }

  void onStart(@Observes @Priority(3000) StartupEvent event) {
    counting.start();
    counting.wake();
  }

  void onStop(@Observes @Priority(1) ShutdownEvent event) {
    counting.stop();
  }

  /** Notes the present size of a topic, as a caller has just read it. Does not block. */
  public void observe(String topic, int partitions) {
    NavigableMap<Integer, Instant> known = sizes(topic);
    if (known.putIfAbsent(partitions, Instant.now()) == null) {
      counting.wake();
    }
  }

  /**
   * Whether a client that leaves the choice to its hash may have moved a key to another partition
   * since then.
   *
   * @param since when the key was first seen in its partition
   * @return true also while the earlier sizes of the topic are not known
   */
  public boolean mayHaveMoved(String topic, Instant since) {
    NavigableMap<Integer, Instant> known = sizes(topic);
    return !stored.containsKey(topic)
        || (known.size() > 1 && since.isBefore(known.lastEntry().getValue().plus(METADATA_AGE)));
  }

  /** Returns the partitions in which the records of a run may be, for any size of the topic. */
  public Set<Integer> candidates(String topic, String run) {
    Set<Integer> candidates = new HashSet<>();
    sizes(topic).keySet().forEach(size -> candidates.add(HomePartitioner.choose(run, size)));
    return candidates;
  }

  private NavigableMap<Integer, Instant> sizes(String topic) {
    return sizes.computeIfAbsent(topic, _ -> new ConcurrentSkipListMap<>());
  }

  private void count() throws InterruptedException {
    try {
      Map<String, TopicDescription> topics =
          admin
              .describeTopics(WATCHED)
              .allTopicNames()
              .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
      topics.forEach(
          (topic, description) -> {
            observe(topic, description.partitions().size());
            store(topic);
          });
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("Kafka: cannot describe the topics " + WATCHED, e);
    }
  }

  private void store(String topic) {
    NavigableMap<Integer, Instant> known = sizes(topic);
    int now = known.lastKey();
    if (stored.getOrDefault(topic, 0) < now) {
      known.putAll(repository.record(topic, now).await().atMost(PATIENCE));
      stored.put(topic, now);
    }
  }
}
