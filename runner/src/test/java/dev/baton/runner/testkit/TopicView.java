/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.testkit;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.protocol.json.Json;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/** One run's records on a topic that is not the trace. */
public final class TopicView {
  private TopicView() {}

  /** Returns all of the run's values so far, once one of them satisfies the condition. */
  public static List<JsonNode> await(
      RunnerTestEnvironment services, String topic, String run, Predicate<JsonNode> condition) {
    return await(services, topic, "run " + run, record -> record.key().equals(run), condition);
  }

  /**
   * Returns all values so far whose field has this text, once one of them satisfies the condition.
   */
  public static List<JsonNode> awaitWith(
      RunnerTestEnvironment services,
      String topic,
      String field,
      String text,
      Predicate<JsonNode> condition) {
    return await(
        services,
        topic,
        field + " " + text,
        record -> Json.tree(record.value()).path(field).asText().equals(text),
        condition);
  }

  private static List<JsonNode> await(
      RunnerTestEnvironment services,
      String topic,
      String whose,
      Predicate<ConsumerRecord<String, byte[]>> mine,
      Predicate<JsonNode> condition) {
    List<JsonNode> found = new ArrayList<>();
    try (KafkaConsumer<String, byte[]> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", services.kafka()),
            new StringDeserializer(),
            new ByteArrayDeserializer())) {
      List<TopicPartition> partitions =
          consumer.partitionsFor(topic).stream()
              .map(p -> new TopicPartition(topic, p.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      long end = System.nanoTime() + TraceView.PATIENCE.toNanos();
      while (found.stream().noneMatch(condition)) {
        if (System.nanoTime() > end) {
          throw new AssertionError("on " + topic + " of " + whose + " only " + found);
        }
        consumer
            .poll(Duration.ofMillis(100))
            .forEach(
                record -> {
                  if (mine.test(record)) {
                    found.add(Json.tree(record.value()));
                  }
                });
      }
    }
    return found;
  }
}
