/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.startup;

import java.util.Optional;

/**
 * Lists the Postgres and Kafka versions that Baton is tested with. Another version may work; a
 * warning at start reports it once.
 */
final class TestedVersionChecker {
  static final int POSTGRES_FROM = 18;
  static final int POSTGRES_TO = 18;

  /** Feature levels of {@code metadata.version}: 4.1-IV0 and 4.1-IV1. */
  static final int KAFKA_FROM = 26;

  static final int KAFKA_TO = 27;

  private TestedVersionChecker() {}

  /**
   * Returns a warning about the version of Postgres.
   *
   * @param number {@code server_version_num}, for example 180001
   * @return empty if the version is tested
   */
  static Optional<String> postgres(int number) {
    int major = number / 10_000;
    return major >= POSTGRES_FROM && major <= POSTGRES_TO
        ? Optional.empty()
        : Optional.of(
            "Postgres %d is not tested with this version of Baton; tested: %d to %d"
                .formatted(major, POSTGRES_FROM, POSTGRES_TO));
  }

  /**
   * Returns a warning about the version of a Kafka cluster.
   *
   * @param level its finalized {@code metadata.version}; 0 if it has none (before KRaft)
   * @return empty if the version is tested
   */
  static Optional<String> kafka(int level) {
    return level >= KAFKA_FROM && level <= KAFKA_TO
        ? Optional.empty()
        : Optional.of(
            "Kafka metadata.version %s is not tested with this version of Baton; tested: 4.1 with KRaft"
                .formatted(level == 0 ? "none" : Integer.toString(level)));
  }
}
