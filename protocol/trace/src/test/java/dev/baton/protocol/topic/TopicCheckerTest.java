/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopicCheckerTest {
  private static List<String> problems(
      String topic, int copies, int least, Map<String, String> settings) {
    return TopicChecker.problems(topic, copies, settings, new TopicRequirements(least, false));
  }

  @ParameterizedTest
  @CsvSource({"1", "2", "3", "5"})
  void shouldAcceptWhatBatonCreates(int copies) {
    assertThat(TopicBootstrap.wanted(copies))
        .allSatisfy(
            topic -> {
              Map<String, String> settings = new HashMap<>(topic.configs());
              settings.put("cleanup.policy", "delete");
              settings.put("unclean.leader.election.enable", "false");
              settings.putIfAbsent("flush.messages", "9223372036854775807");
              settings.put("retention.bytes", "-1");
              assertThat(problems(topic.name(), copies, 1, settings)).isEmpty();
            });
  }

  @ParameterizedTest
  @CsvSource({
    "baton.trace,   3, min.insync.replicas,            1,       2 to 3",
    "baton.trace,   3, min.insync.replicas,            4,       2 to 3",
    "baton.signals, 1, min.insync.replicas,            2,       1",
    "baton.trace,   3, unclean.leader.election.enable, true,    false",
    "baton.signals, 3, cleanup.policy,                 compact, delete",
    "baton.logs,    3, cleanup.policy,                 'compact,delete', delete",
    "baton.trace,   3, retention.ms,                   3600000, '86400000 or more, or -1'",
    "baton.trace,   3, retention.bytes,                1000,    '1073741824 or more, or -1'",
    "baton.trace,   1, flush.messages,                 9223372036854775807, 1"
  })
  void shouldNameTopicSettingValueWhatIsAllowedAndTheCommand(
      String topic, int copies, String setting, String value, String allowed) {
    assertThat(problems(topic, copies, 1, Map.of(setting, value)))
        .singleElement()
        .asString()
        .startsWith("topic %s: %s is %s; allowed: %s. ".formatted(topic, setting, value, allowed))
        .contains("kafka-configs.sh", "--entity-name " + topic, "--add-config " + setting + "=");
  }

  @ParameterizedTest
  @CsvSource({
    "baton.heartbeats,    cleanup.policy,      compact",
    "baton.notifications, min.insync.replicas, 1",
    "baton.trace.dlq,     retention.ms,        1000",
    "baton.trace,         retention.ms,        -1",
    "baton.trace,         min.insync.replicas, 3"
  })
  void shouldAcceptWhatLosesNothing(String topic, String setting, String value) {
    assertThat(problems(topic, 3, 1, Map.of(setting, value))).isEmpty();
  }

  @Test
  void shouldRequireTheCopiesOfEveryTopic() {
    assertThat(problems(TopicName.NOTIFICATIONS, 2, 3, Map.of()))
        .singleElement()
        .asString()
        .contains("replication factor is 2; allowed: 3 or more", "kafka-reassign-partitions.sh");
    assertThat(problems(TopicName.NOTIFICATIONS, 3, 3, Map.of())).isEmpty();
  }

  @Test
  void shouldNameTheKeyOfAnImpossibleRequirement() {
    assertThatThrownBy(() -> new TopicRequirements(4, false))
        .hasMessage("baton.topics.min-replicas is 4; allowed: 1 to 3");
  }
}
