/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.journal;

import java.util.Map;
import org.apache.kafka.clients.producer.Producer;

/** Creates the producers of a process. The caller closes them. */
public interface RunnerProducerFactory {
  /** Creates the producer of trace and heartbeats. */
  Producer<String, byte[]> durable();

  /** Creates the producer of logs. */
  Producer<String, byte[]> lossy();

  /**
   * Creates producers that connect to a Kafka cluster.
   *
   * @param cluster at least {@code bootstrap.servers}
   */
  static RunnerProducerFactory kafka(Map<String, ?> cluster, String clientId) {
    return new RunnerProducerFactory() {
      @Override
      public Producer<String, byte[]> durable() {
        return ProducerSettings.durable(cluster, clientId);
      }

      @Override
      public Producer<String, byte[]> lossy() {
        return ProducerSettings.lossy(cluster, clientId + "-logs");
      }
    };
  }
}
