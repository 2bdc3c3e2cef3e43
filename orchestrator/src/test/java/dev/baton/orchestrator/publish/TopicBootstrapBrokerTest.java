/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.topic.TopicBootstrap;
import dev.baton.protocol.topic.TopicName;
import dev.baton.protocol.topic.TopicRequirements;
import dev.baton.protocol.topic.UnsafeTopicException;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Creates and checks topics on a real broker. */
class TopicBootstrapBrokerTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  @Test
  void shouldWaitForBrokersAndRefuseTopicsThatMayLoseRecords(@TempDir Path folder)
      throws Exception {
    try (StandaloneStack stack =
            StandaloneStack.builder().data(folder).components(StackComponent.KAFKA).start();
        Admin admin = Admin.create(Map.of("bootstrap.servers", stack.kafkaBootstrap()))) {
      assertThatThrownBy(
              () ->
                  TopicBootstrap.ensure(
                      admin, Duration.ofSeconds(6), new TopicRequirements(2, false)))
          .isInstanceOf(TimeoutException.class)
          .hasMessageContaining("1 brokers are available, the topics need 2 copies")
          .hasMessageContaining("baton.topics.min-replicas");
      assertThat(admin.listTopics().names().get(60, TimeUnit.SECONDS)).isEmpty();

      assertThat(TopicBootstrap.ensure(admin, PATIENCE)).isEmpty();
      assertThat(TopicBootstrap.ensure(admin, PATIENCE)).isEmpty();

      assertThatThrownBy(
              () -> TopicBootstrap.ensure(admin, PATIENCE, new TopicRequirements(3, false)))
          .isInstanceOf(UnsafeTopicException.class)
          .hasMessageContaining("baton.trace: replication factor is 1; allowed: 3 or more");
      set(admin, TopicName.LOGS, "cleanup.policy", "compact");
      set(admin, TopicName.TRACE, "flush.messages", "1000");
      assertThatThrownBy(() -> TopicBootstrap.ensure(admin, PATIENCE))
          .isInstanceOf(UnsafeTopicException.class)
          .hasMessageContaining("topic baton.logs: cleanup.policy is compact; allowed: delete.")
          .hasMessageContaining("topic baton.trace: flush.messages is 1000; allowed: 1.")
          .hasMessageContaining("baton.topics.allow-unsafe=true");
      assertThat(TopicBootstrap.ensure(admin, PATIENCE, new TopicRequirements(1, true)))
          .hasSize(2)
          .allMatch(warning -> warning.contains("Fix it with kafka-configs.sh"));

      set(admin, TopicName.LOGS, "cleanup.policy", "delete");
      set(admin, TopicName.TRACE, "flush.messages", "1");
      assertThat(TopicBootstrap.ensure(admin, PATIENCE)).isEmpty();
    }
  }

  /** The defaults of brokers are not those that Baton creates its topics with. */
  @Test
  void shouldRefuseATraceThatSomebodyCreatedWithDefaults(@TempDir Path folder) throws Exception {
    try (StandaloneStack stack =
            StandaloneStack.builder().data(folder).components(StackComponent.KAFKA).start();
        Admin admin = Admin.create(Map.of("bootstrap.servers", stack.kafkaBootstrap()))) {
      admin
          .createTopics(List.of(new NewTopic(TopicName.TRACE, 3, (short) 1)))
          .all()
          .get(60, TimeUnit.SECONDS);

      assertThatThrownBy(() -> TopicBootstrap.ensure(admin, PATIENCE))
          .isInstanceOf(UnsafeTopicException.class)
          .hasMessageContaining("topic baton.trace: flush.messages is")
          .hasMessageNotContaining("baton.logs");
    }
  }

  /** Returns once the broker has the value, a moment after the controller. */
  private static void set(Admin admin, String topic, String setting, String value)
      throws Exception {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    admin
        .incrementalAlterConfigs(
            Map.of(
                resource,
                List.of(
                    new AlterConfigOp(new ConfigEntry(setting, value), AlterConfigOp.OpType.SET))))
        .all()
        .get(60, TimeUnit.SECONDS);
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!value.equals(shown(admin, resource, setting))) {
      assertThat(System.nanoTime()).as("%s has %s=%s", topic, setting, value).isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private static String shown(Admin admin, ConfigResource resource, String setting)
      throws Exception {
    Map<ConfigResource, Config> all =
        admin.describeConfigs(List.of(resource)).all().get(60, TimeUnit.SECONDS);
    return Objects.requireNonNull(all.get(resource)).get(setting).value();
  }
}
