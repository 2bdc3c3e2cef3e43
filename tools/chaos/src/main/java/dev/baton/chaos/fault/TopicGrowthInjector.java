/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.TopicDescription;

/**
 * Adds partitions to Baton's topics while runs are under way. Bypasses the proxies. Thread-safe.
 */
public final class TopicGrowthInjector implements AutoCloseable {
  /** What a topic may grow to in one experiment. */
  static final int MAX_PARTITIONS = 48;

  private static final int MOST_ADDED = 3;
  private static final int CALL_MS = 10_000;
  private static final String PREFIX = "baton.";

  private final Admin admin;

  /** Sizes that were created here: a broker may describe an older one for a while. */
  private final Map<String, Integer> grown = new HashMap<>();

  public TopicGrowthInjector(String bootstrap) {
    admin =
        Admin.create(
            Map.of(
                "bootstrap.servers",
                bootstrap,
                "request.timeout.ms",
                CALL_MS / 2,
                "default.api.timeout.ms",
                CALL_MS));
  }

  /**
   * Adds partitions to one or more topics.
   *
   * @param random selects the topics and how many partitions they get
   * @return what has grown; empty when the topics are as large as they may be
   * @throws IOException when the brokers did not do it
   */
  public synchronized String grow(Random random) throws IOException, InterruptedException {
    try {
      List<String> names =
          new ArrayList<>(
              admin.listTopics().names().get(CALL_MS, TimeUnit.MILLISECONDS).stream()
                  .filter(name -> name.startsWith(PREFIX))
                  .sorted()
                  .toList());
      if (names.isEmpty()) {
        return "";
      }
      Collections.shuffle(names, random);
      names = names.subList(0, 1 + random.nextInt(names.size()));
      Map<String, TopicDescription> topics =
          admin.describeTopics(names).allTopicNames().get(CALL_MS, TimeUnit.MILLISECONDS);
      Map<String, NewPartitions> wanted = new TreeMap<>();
      Map<String, String> said = new TreeMap<>();
      new TreeMap<>(topics)
          .forEach(
              (name, topic) -> {
                int now = Math.max(topic.partitions().size(), grown.getOrDefault(name, 0));
                int next = Math.min(MAX_PARTITIONS, now + 1 + random.nextInt(MOST_ADDED));
                if (next > now) {
                  wanted.put(name, NewPartitions.increaseTo(next));
                  said.put(name, now + " to " + next);
                }
              });
      admin.createPartitions(wanted).all().get(CALL_MS, TimeUnit.MILLISECONDS);
      wanted.forEach((name, partitions) -> grown.put(name, partitions.totalCount()));
      return said.isEmpty() ? "" : said.toString();
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("topics have not grown: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    admin.close(Duration.ofSeconds(5));
  }
}
