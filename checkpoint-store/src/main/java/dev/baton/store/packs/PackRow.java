/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.packs;

import dev.baton.snapshot.format.Hash;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Row;
import java.time.OffsetDateTime;

/**
 * The row of a pack.
 *
 * @param project its name
 * @param keySuffix the end of its object's key after the digest; usually empty
 * @param readAt when the row was read, by the clock of Postgres
 */
public record PackRow(
    long id,
    int projectNumber,
    String project,
    Hash digest,
    long sizeBytes,
    String keySuffix,
    OffsetDateTime readAt) {
  /** The columns that {@link #of} reads, of {@code store.pack p} and {@code store.project j}. */
  public static final String COLUMNS =
      "p.id, p.project, j.name, p.digest, p.size_bytes, p.key_suffix, now()";

  public static PackRow of(Row row) {
    return new PackRow(
        row.getLong(0),
        row.getInteger(1),
        row.getString(2),
        Hash.read(row.get(Buffer.class, 3).getBytes(), 0),
        row.getLong(4),
        row.getString(5),
        row.getOffsetDateTime(6));
  }

  /** The key of its object. */
  public String key() {
    return PackRepository.key(project, digest, keySuffix);
  }
}
