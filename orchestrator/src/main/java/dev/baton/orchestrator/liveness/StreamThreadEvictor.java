/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.liveness;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.MemberToRemove;
import org.apache.kafka.clients.admin.RemoveMembersFromConsumerGroupOptions;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * Removes the member of a stream thread that has failed. Members are static, so the partitions of a
 * failed one would have no reader until its session expires.
 */
@ApplicationScoped
class StreamThreadEvictor {
  private static final Logger LOG = Logger.getLogger(StreamThreadEvictor.class);
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  private final Admin admin;
  private final String group;
  private final String member;

  StreamThreadEvictor(
      Admin admin,
      @ConfigProperty(name = "quarkus.kafka-streams.application-id") String group,
      @ConfigProperty(name = "kafka-streams.group.instance.id") String member) {
    this.admin = admin;
    this.group = group;
    this.member = member;
  }

  /** Blocks for at most 2 s. A failure is only logged: the session expires anyway. */
  void evict(Thread thread) {
    String name = thread.getName();
    // Kafka Streams appends the thread's number to both names.
    MemberToRemove failed = new MemberToRemove(member + name.substring(name.lastIndexOf('-')));
    try {
      admin
          .removeMembersFromConsumerGroup(
              group, new RemoveMembersFromConsumerGroupOptions(List.of(failed)))
          .all()
          .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOG.debugf("liveness: %s stays in its group until its session expires: %s", failed, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
