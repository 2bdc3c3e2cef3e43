/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the home partition of a new run: the partition of the trace topic in which all its events
 * are. It is chosen once and stored with the run, since a client's own choice depends on its hash
 * function and on the present size of the topic.
 */
public final class HomePartitioner {
  private HomePartitioner() {}

  /**
   * Returns the partition that Kafka's Java client would choose for the key: murmur2, so that a
   * Java program that names no partition writes to the same one while the topic does not grow.
   *
   * @param run the run's id
   * @param partitions of the topic now; 1 or more
   * @throws IllegalArgumentException when there are none
   */
  public static int choose(String run, int partitions) {
    if (partitions < 1) {
      throw new IllegalArgumentException("a topic has 1 or more partitions, not " + partitions);
    }
    return Utils.toPositive(Utils.murmur2(run.getBytes(StandardCharsets.UTF_8))) % partitions;
  }

  /**
   * Chooses the partition of another topic that a writer then keeps, from the number that its
   * producer has fetched. Blocks for the topic's metadata, up to {@code max.block.ms}.
   *
   * @return null if the producer has no partition of the topic
   * @throws org.apache.kafka.common.KafkaException when the brokers do not answer
   */
  public static @Nullable Integer choose(String run, Producer<?, ?> producer, String topic) {
    int partitions = producer.partitionsFor(topic).size();
    return partitions == 0 ? null : (Integer) choose(run, partitions);
  }
}
