/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.baton;

import dev.baton.benchmarks.measure.DurationDistribution;
import dev.baton.protocol.topic.TopicBootstrap;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Measures the minimum cost of a durable step: acknowledged appends of 400 bytes to a topic that is
 * flushed on every message, like the trace, by a producer configured like a runner's.
 */
public final class BrokerFloorBenchmark implements AutoCloseable {
  private static final String TOPIC = "benchmark.floor";
  private static final int BYTES = 400;
  private static final int SEQUENTIAL = 1_000;
  private static final int APPENDERS = 200;
  private static final int APPENDS_EACH = 50;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final KafkaProducer<String, byte[]> producer;

  /**
   * @param p50Ms of sequential appends
   * @param p99Ms of sequential appends
   * @param appendsPerS by 200 concurrent appenders, each waiting for its own acknowledgements
   */
  public record Floor(double p50Ms, double p99Ms, double appendsPerS) {}

  private BrokerFloorBenchmark(KafkaProducer<String, byte[]> producer) {
    this.producer = producer;
  }

  public static BrokerFloorBenchmark start(String bootstrap)
      throws IOException, InterruptedException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap))) {
      NewTopic topic = new NewTopic(TOPIC, TopicBootstrap.PARTITIONS, (short) 1);
      admin
          .createTopics(
              List.of(topic.configs(Map.of(TopicConfig.FLUSH_MESSAGES_INTERVAL_CONFIG, "1"))))
          .all()
          .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      if (!(e.getCause() instanceof TopicExistsException)) {
        throw new IOException("topic " + TOPIC + " cannot be created: " + e.getCause(), e);
      }
    } catch (TimeoutException e) {
      throw new IOException("no answer from " + bootstrap + " within " + PATIENCE, e);
    }
    Map<String, Object> settings =
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrap,
            ProducerConfig.ACKS_CONFIG,
            "all",
            ProducerConfig.LINGER_MS_CONFIG,
            0,
            ProducerConfig.BATCH_SIZE_CONFIG,
            64 * 1024);
    return new BrokerFloorBenchmark(
        new KafkaProducer<>(settings, new StringSerializer(), new ByteArraySerializer()));
  }

  public Floor measure() throws IOException, InterruptedException {
    DurationDistribution one = sequential();
    return new Floor(one.millis(50), one.millis(99), concurrent());
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(10));
  }

  private DurationDistribution sequential() throws IOException, InterruptedException {
    long[] took = new long[SEQUENTIAL];
    for (int i = 0; i < SEQUENTIAL; i++) {
      long start = System.nanoTime();
      append("run");
      took[i] = (System.nanoTime() - start) / 1000;
    }
    return DurationDistribution.of(took);
  }

  private double concurrent() throws IOException, InterruptedException {
    List<Thread> appenders = new ArrayList<>();
    List<IOException> failures = new java.util.concurrent.CopyOnWriteArrayList<>();
    CountDownLatch go = new CountDownLatch(1);
    for (int i = 0; i < APPENDERS; i++) {
      String run = "run-" + i;
      appenders.add(
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      go.await();
                      for (int n = 0; n < APPENDS_EACH; n++) {
                        append(run);
                      }
                    } catch (IOException e) {
                      failures.add(e);
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  }));
    }
    long start = System.nanoTime();
    go.countDown();
    for (Thread appender : appenders) {
      appender.join();
    }
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
    return (double) APPENDERS * APPENDS_EACH / ((System.nanoTime() - start) / 1e9);
  }

  private void append(String run) throws IOException, InterruptedException {
    try {
      producer
          .send(new ProducerRecord<>(TOPIC, run, new byte[BYTES]))
          .get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("an append was not acknowledged: " + e, e);
    }
  }
}
