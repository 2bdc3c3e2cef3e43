/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Checks that Postgres keeps what it has acknowledged: reads {@code fsync}, {@code
 * synchronous_commit} and {@code full_page_writes} as they apply to this connection. Only {@code
 * off} is unsafe; of the values of {@code synchronous_commit} all others wait at least for the
 * local disk. Thread-safe.
 */
public final class PostgresDurabilityChecker {
  /** The key that allows a start with unsafe settings. */
  public static final String ALLOW_UNSAFE = "baton.postgres.allow-unsafe";

  private static final String OFF = "off";

  /** What is lost when a setting is off. */
  private static final Map<String, String> LOSSES =
      new TreeMap<>(
          Map.of(
              "fsync", "a crash of the machine can destroy the whole database",
              "full_page_writes", "a crash of the machine can leave pages half written",
              "synchronous_commit",
                  "a crash of Postgres loses transactions that it has acknowledged"));

  private static final String SETTINGS =
      LOSSES.keySet().stream()
          .map(name -> "current_setting('" + name + "')")
          .collect(Collectors.joining(", ", "SELECT ", ""));

  private PostgresDurabilityChecker() {}

  /**
   * Reads the settings. Does not block.
   *
   * @return a message that names each unsafe setting, its value, the reason and the remedy; empty
   *     if all are safe. Fails if Postgres does not respond.
   */
  public static Future<Optional<String>> check(SqlClient client) {
    return client.query(SETTINGS).execute().map(rows -> problem(rows.iterator().next()));
  }

  /**
   * Refuses the start unless the key {@value #ALLOW_UNSAFE} is set.
   *
   * @param problem the result of {@link #check}
   * @param allowed the key's value
   * @return a warning to log; empty if all settings are safe
   * @throws IllegalStateException with the message of {@code problem} and the key
   */
  public static Optional<String> enforce(Optional<String> problem, boolean allowed) {
    if (problem.isPresent() && !allowed) {
      throw new IllegalStateException(
          "%s; for data that may be lost set %s=true".formatted(problem.get(), ALLOW_UNSAFE));
    }
    return problem.map(what -> what + " (accepted by " + ALLOW_UNSAFE + "=true)");
  }

  private static Optional<String> problem(Row row) {
    List<String> unsafe = new ArrayList<>();
    List<String> remedies = new ArrayList<>();
    int column = 0;
    for (Map.Entry<String, String> setting : LOSSES.entrySet()) {
      if (OFF.equals(row.getString(column++))) {
        unsafe.add("%s is off: %s".formatted(setting.getKey(), setting.getValue()));
        remedies.add(setting.getKey() + "=on");
      }
    }
    return unsafe.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "Postgres: %s. Set %s for the server, the database and the role of baton.db.user"
                .formatted(String.join("; ", unsafe), String.join(", ", remedies)));
  }
}
