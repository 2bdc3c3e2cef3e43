/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.replicas;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupResult;
import org.apache.kafka.common.errors.UnknownMemberIdException;
import org.eclipse.microprofile.config.Config;
import org.jboss.logging.Logger;

/**
 * Removes a dead replica's members from the consumer groups that distribute the work. A member that
 * is still alive rejoins by itself.
 */
@ApplicationScoped
class ConsumerGroupEvictor {
  private static final Logger LOG = Logger.getLogger(ConsumerGroupEvictor.class);
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Admin admin;
  private final Map<String, List<String>> patterns = new HashMap<>();

  /** Derives the member names from the configuration of the groups. */
  ConsumerGroupEvictor(Admin admin, Config config) {
    this.admin = admin;
    String self = config.getValue("baton.instance-id", String.class);
    for (String channel : List.of("trace", "signals")) {
      String prefix = "mp.messaging.incoming." + channel;
      patterns.put(
          config.getValue(prefix + ".group.id", String.class),
          List.of(pattern(config.getValue(prefix + ".group.instance.id", String.class), self)));
    }
    // Kafka Streams appends the thread's number to the name: 1, or 2 after a thread was replaced.
    String stream = pattern(config.getValue("kafka-streams.group.instance.id", String.class), self);
    patterns.put(
        config.getValue("quarkus.kafka-streams.application-id", String.class),
        List.of(stream + "-1", stream + "-2"));
  }

  private static String pattern(String member, String self) {
    if (!member.endsWith(self)) {
      throw new IllegalStateException("group.instance.id must end with the instance id: " + member);
    }
    return member.substring(0, member.length() - self.length()) + "%s";
  }

  /** Blocks for some seconds at most. A failure is only logged: the session expires anyway. */
  void remove(String instance) {
    Map<String, RemoveMembersFromConsumerGroupResult> asked = new HashMap<>();
    patterns.forEach(
        (group, names) ->
            asked.put(
                group,
                admin.removeMembersFromConsumerGroup(
                    group,
                    new RemoveMembersFromConsumerGroupOptions(
                        names.stream()
                            .map(name -> new MemberToRemove(name.formatted(instance)))
                            .toList()))));
    asked.forEach(
        (group, result) -> {
          try {
            result.all().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
          } catch (ExecutionException e) {
            if (!(e.getCause() instanceof UnknownMemberIdException)) {
              LOG.warnf(
                  "replica %s stays in the group %s until its session expires: %s",
                  instance, group, e.getCause());
            }
          } catch (TimeoutException e) {
            LOG.warnf(
                "replica %s stays in the group %s until its session expires", instance, group);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }
}
