/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

/**
 * What the topics must have at the start of a service.
 *
 * @param minReplicas copies of each partition, 1 or more: {@code baton.topics.min-replicas}
 * @param allowUnsafe whether topics that may lose acknowledged records are accepted, with a
 *     warning: {@code baton.topics.allow-unsafe}
 */
public record TopicRequirements(int minReplicas, boolean allowUnsafe) {
  /** The largest number of copies that a topic is created with. */
  public static final int MAX_REPLICAS = 3;

  /** One copy is enough. */
  public static final TopicRequirements DEFAULT = new TopicRequirements(1, false);

  public TopicRequirements {
    if (minReplicas < 1 || minReplicas > MAX_REPLICAS) {
      throw new IllegalArgumentException(
          "baton.topics.min-replicas is %d; allowed: 1 to %d".formatted(minReplicas, MAX_REPLICAS));
    }
  }
}
