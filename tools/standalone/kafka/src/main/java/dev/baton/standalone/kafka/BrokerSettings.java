/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.kafka;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;

/** Settings of a single broker on one machine: small, quick to start, no replication. */
final class BrokerSettings {

  static final int NODE_ID = 1;
  static final String CONTROLLER_LISTENER = "CONTROLLER";
  private static final String FORWARDED_LISTENER = "FORWARDED";

  private BrokerSettings() {}

  static Properties of(KafkaServerOptions options) {
    Map<String, Object> settings = new LinkedHashMap<>();
    listeners(settings, options);
    replication(settings);
    footprint(settings);
    retention(settings);
    Properties properties = new Properties();
    settings.forEach((key, value) -> properties.setProperty(key, value.toString()));
    return properties;
  }

  private static void listeners(Map<String, Object> settings, KafkaServerOptions options) {
    String clients = "PLAINTEXT://127.0.0.1:" + options.port();
    String controller = "127.0.0.1:" + options.controllerPort();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", NODE_ID);
    settings.put("controller.quorum.voters", NODE_ID + "@" + controller);
    String forwarded = "," + FORWARDED_LISTENER + "://127.0.0.1:";
    String second = options.forwarded().map(it -> forwarded + it.port()).orElse("");
    String told = options.forwarded().map(it -> forwarded + it.advertised()).orElse("");
    settings.put("listeners", clients + second + "," + CONTROLLER_LISTENER + "://" + controller);
    settings.put("advertised.listeners", clients + told);
    settings.put(
        "listener.security.protocol.map",
        "PLAINTEXT:PLAINTEXT,"
            + FORWARDED_LISTENER
            + ":PLAINTEXT,"
            + CONTROLLER_LISTENER
            + ":PLAINTEXT");
    settings.put("controller.listener.names", CONTROLLER_LISTENER);
    settings.put("inter.broker.listener.name", "PLAINTEXT");
    settings.put("log.dirs", options.data());
    // Topics are contracts: a misspelt name must be an error, not a new topic.
    settings.put("auto.create.topics.enable", false);
  }

  private static void replication(Map<String, Object> settings) {
    settings.put("default.replication.factor", 1);
    settings.put("min.insync.replicas", 1);
    settings.put("offsets.topic.replication.factor", 1);
    settings.put("transaction.state.log.replication.factor", 1);
    settings.put("transaction.state.log.min.isr", 1);
    settings.put("share.coordinator.state.topic.replication.factor", 1);
    settings.put("share.coordinator.state.topic.min.isr", 1);
    // After a SIGKILL the new broker is admitted only when the session of the dead one has expired.
    settings.put("broker.session.timeout.ms", 1_500);
    settings.put("broker.heartbeat.interval.ms", 300);
    // A single machine has only one group member, so there is nothing to wait for.
    settings.put("group.initial.rebalance.delay.ms", 0);
  }

  private static void footprint(Map<String, Object> settings) {
    settings.put("offsets.topic.num.partitions", 4);
    settings.put("transaction.state.log.num.partitions", 4);
    settings.put("share.coordinator.state.topic.num.partitions", 4);
    settings.put("num.network.threads", 2);
    settings.put("num.io.threads", 4);
    settings.put("background.threads", 2);
    settings.put("num.recovery.threads.per.data.dir", 2);
    settings.put("log.cleaner.threads", 1);
    settings.put("log.cleaner.dedupe.buffer.size", 4 * 1024 * 1024);
    settings.put("log.cleaner.io.buffer.size", 128 * 1024);
    // After a SIGKILL the broker reads its active segments again: smaller ones shorten that.
    settings.put("log.segment.bytes", 64 * 1024 * 1024);
    settings.put("log.index.size.max.bytes", 512 * 1024);
  }

  private static void retention(Map<String, Object> settings) {
    // The store copies the complete trace; a week is longer than its longest outage.
    settings.put("log.retention.hours", 7 * 24);
    // A stack may be stopped for months and must then resume where it stopped.
    settings.put("offsets.retention.minutes", 365 * 24 * 60);
  }
}
