/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.checkpoints;

import dev.baton.store.failure.StoreRequestException;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.hibernate.reactive.mutiny.Mutiny;
import org.jspecify.annotations.Nullable;

/** Finds checkpoints, newest first. */
@ApplicationScoped
public class CheckpointRepository {
  /** Maximum number of checkpoints in a page. */
  public static final int MOST = 1_000;

  private static final String COLUMNS =
      """
      SELECT id, run, project, epoch, step, trigger, created_at, digest,
        size_bytes, stored_bytes, file_count, pack_count, pack_bytes, pinned_at, pinned_by,
        pin_reason, verified_at, problem
      FROM store.checkpoint WHERE NOT deleting AND""";

  // Native SQL: the first HQL query would load and run the whole parser on the event loop.
  private static final String BY_ID = COLUMNS + " id = :id";
  private static final String VISIBLE =
      BY_ID + " AND project = ANY (string_to_array(:projects, ','))";
  private static final String PAGE =
      COLUMNS
          + """
       %s = :of AND (created_at, id) < (:before, :last)
      ORDER BY created_at DESC, id DESC LIMIT :most""";
  static final String OF_RUN = PAGE.formatted("run");
  static final String OF_PROJECT = PAGE.formatted("project");

  /** Later than any checkpoint. */
  private static final Instant END = Instant.parse("9999-12-31T00:00:00Z");

  /** The last checkpoint of a page. */
  public record Cursor(Instant createdAt, String id) {
    static final Cursor START = new Cursor(END, "~");
  }

  private final Mutiny.SessionFactory sessions;

  CheckpointRepository(Mutiny.SessionFactory sessions) {
    this.sessions = sessions;
  }

  /**
   * Finds a checkpoint; fails with NOT_FOUND if there is none. Must be called on a Vert.x context,
   * as Hibernate Reactive requires.
   */
  public Uni<CheckpointEntity> get(String id) {
    return get(id, null);
  }

  /**
   * Like {@link #get(String)}, in some projects only.
   *
   * @param projects null for all
   */
  public Uni<CheckpointEntity> get(String id, @Nullable Collection<String> projects) {
    return sessions
        .withSession(
            session -> {
              var query =
                  session
                      .createNativeQuery(projects == null ? BY_ID : VISIBLE, CheckpointEntity.class)
                      .setParameter("id", id);
              if (projects != null) {
                // Names of projects have no comma.
                query.setParameter("projects", String.join(",", projects));
              }
              return query.getSingleResultOrNull();
            })
        .invoke(
            found -> {
              if (found == null) {
                throw StoreRequestException.notFound(
                    "checkpoint '%s' does not exist".formatted(id));
              }
            });
  }

  /** Must be called on a Vert.x context. */
  public Uni<List<CheckpointEntity>> ofRun(String run, @Nullable Cursor after, int most) {
    return page(OF_RUN, run, after, most);
  }

  /** Must be called on a Vert.x context. */
  public Uni<List<CheckpointEntity>> ofProject(String project, @Nullable Cursor after, int most) {
    return page(OF_PROJECT, project, after, most);
  }

  private Uni<List<CheckpointEntity>> page(
      String sql, String of, @Nullable Cursor after, int most) {
    Cursor before = after == null ? Cursor.START : after;
    return sessions.withSession(
        session ->
            session
                .createNativeQuery(sql, CheckpointEntity.class)
                .setParameter("of", of)
                .setParameter("before", before.createdAt())
                .setParameter("last", before.id())
                .setParameter("most", most)
                .getResultList());
  }
}
