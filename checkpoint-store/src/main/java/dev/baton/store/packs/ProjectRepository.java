/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.packs;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Maps projects to numbers. They never change, so each is queried once. Thread-safe. */
@ApplicationScoped
public class ProjectRepository {
  private static final int MOST_REMEMBERED = 10_000;

  static final String FIND = "SELECT id FROM store.project WHERE name = $1";

  // The no-op update lets the statement also return a row that another transaction inserted.
  static final String NUMBER =
      """
      INSERT INTO store.project (name) VALUES ($1)
      ON CONFLICT (name) DO UPDATE SET name = EXCLUDED.name RETURNING id""";

  private final Pool pool;
  private final Map<String, Integer> known = new ConcurrentHashMap<>();

  ProjectRepository(Pool pool) {
    this.pool = pool;
  }

  /** Returns the project's number; assigns a new one if it has none yet. */
  public Uni<Integer> number(String project) {
    Integer number = known.get(project);
    if (number != null) {
      return Uni.createFrom().item(number);
    }
    return pool.preparedQuery(FIND)
        .execute(Tuple.of(project))
        .chain(
            rows ->
                rows.size() > 0
                    ? Uni.createFrom().item(rows)
                    : pool.preparedQuery(NUMBER).execute(Tuple.of(project)))
        .map(rows -> rows.iterator().next().getInteger(0))
        .invoke(
            id -> {
              if (known.size() < MOST_REMEMBERED) {
                known.put(project, id);
              }
            });
  }
}
