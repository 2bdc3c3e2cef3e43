/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.startup;

import java.util.Optional;

/**
 * The one list of what Baton was tried with. Another version may work; that it was never tried is
 * said once at start.
 */
final class TestedVersionChecker {
  static final int POSTGRES_FROM = 18;
  static final int POSTGRES_TO = 18;

  /** Feature levels of {@code metadata.version}: 4.1-IV0 and 4.1-IV1. */
  static final int KAFKA_FROM = 26;

  static final int KAFKA_TO = 27;

  private TestedVersionChecker() {}

  /**
   * What to say of a Postgres.
   *
   * @param number {@code server_version_num}, 180001 for one
   * @return empty where it was tried
   */
  static Optional<String> postgres(int number) {
    int major = number / 10_000;
    return major >= POSTGRES_FROM && major <= POSTGRES_TO
        ? Optional.empty()
        : Optional.of(
            "Postgres %d was never tried with this Baton; tried: %d to %d"
                .formatted(major, POSTGRES_FROM, POSTGRES_TO));
  }

  /**
   * What to say of a Kafka cluster.
   *
   * @param level its finalized {@code metadata.version}; 0 where it has none, before KRaft
   * @return empty where it was tried
   */
  static Optional<String> kafka(int level) {
    return level >= KAFKA_FROM && level <= KAFKA_TO
        ? Optional.empty()
        : Optional.of(
            "a Kafka of metadata.version %s was never tried with this Baton; tried: 4.1 with KRaft"
                .formatted(level == 0 ? "none" : Integer.toString(level)));
  }
}
