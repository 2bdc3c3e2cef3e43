/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.transfer;

import dev.baton.store.objects.ObjectName;
import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.function.Function;

/** Records the objects in the bucket other than packs, and which runs use them. */
@ApplicationScoped
class ObjectIndex {
  // Inserts in key order, so that two runs with the same objects cannot deadlock.
  static final String NOTE =
      """
      WITH asked AS MATERIALIZED (
        SELECT DISTINCT ON (key) * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[],
          $5::bigint[]) AS o(key, project, kind, digest, size_bytes) ORDER BY key),
      used AS (
        INSERT INTO store.object_use (run, key) SELECT $6, key FROM asked ON CONFLICT DO NOTHING)
      INSERT INTO store.object (key, project, kind, digest, size_bytes, first_run, asked_at)
      SELECT key, project, kind, digest, size_bytes, $6, now() FROM asked ON CONFLICT DO NOTHING""";

  private final Pool pool;

  ObjectIndex(Pool pool) {
    this.pool = pool;
  }

  /** Records new objects, and that the run uses all of the given ones. */
  Uni<Void> note(List<ObjectName> objects, String run) {
    return pool.preparedQuery(NOTE)
        .execute(
            Tuple.of(
                column(objects, ObjectName::key),
                column(objects, ObjectName::project),
                column(objects, object -> object.kind().word()),
                column(objects, ObjectName::digest),
                objects.stream().map(ObjectName::sizeBytes).toArray(Long[]::new),
                run))
        .replaceWithVoid();
  }

  private static String[] column(List<ObjectName> objects, Function<ObjectName, String> value) {
    return objects.stream().map(value).toArray(String[]::new);
  }
}
