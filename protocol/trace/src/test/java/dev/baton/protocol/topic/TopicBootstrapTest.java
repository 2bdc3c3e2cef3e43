/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopicBootstrapTest {
  @ParameterizedTest
  @CsvSource({"1, 1, 1", "2, 1,", "3, 2,", "5, 2,"})
  void shouldAcknowledgeWhatReplicationAllows(int replication, String inSync, String flush) {
    assertThat(TopicBootstrap.wanted(replication))
        .hasSize(10)
        .allSatisfy(
            topic -> {
              assertThat(topic.replicationFactor()).isEqualTo((short) replication);
              assertThat(topic.configs())
                  .containsEntry("min.insync.replicas", inSync)
                  .containsEntry("message.timestamp.type", "LogAppendTime");
            })
        .filteredOn(topic -> topic.name().equals(TopicName.TRACE))
        .extracting(NewTopic::configs)
        .extracting(config -> config.get("flush.messages"))
        .containsExactly(flush);
  }

  @Test
  void shouldWaitNoLongerThanItsPatienceForBrokersThatDoNotAnswer() {
    // Closing the client waits for calls in progress.
    Map<String, Object> config =
        Map.of(
            "bootstrap.servers",
            "127.0.0.1:1",
            "request.timeout.ms",
            400,
            "default.api.timeout.ms",
            500);
    try (Admin admin = Admin.create(config)) {
      assertThatThrownBy(() -> TopicBootstrap.ensure(admin, Duration.ofMillis(50)))
          .isInstanceOf(TimeoutException.class);
    }
  }
}
