/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.TopicPartition;

/** Reads the present partitions of a topic from the broker; a topic may grow. */
public final class TopicPartitionReader {
  private TopicPartitionReader() {}

  /**
   * Returns all partitions of the topic, by number.
   *
   * @param patience how long to wait for the broker
   * @throws ExecutionException when the broker refused, or has no such topic
   */
  public static List<TopicPartition> read(Admin admin, String topic, Duration patience)
      throws InterruptedException, ExecutionException, TimeoutException {
    return Objects.requireNonNull(
            admin
                .describeTopics(Set.of(topic))
                .allTopicNames()
                .get(patience.toMillis(), TimeUnit.MILLISECONDS)
                .get(topic))
        .partitions()
        .stream()
        .map(partition -> new TopicPartition(topic, partition.partition()))
        .toList();
  }
}
