/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.logs;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.log.LogAttempt;
import dev.baton.protocol.log.LogIndex;
import dev.baton.store.scheduling.Await;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Finds the rows of log chunks. Blocks. Thread-safe. */
@ApplicationScoped
class LogChunkRepository {
  /** Maximum rows in a result: each row contains its index. */
  private static final int AT_ONCE = 64;

  private static final String COLUMNS =
      "epoch, first_line, lines, project, digest, last_micros, last, index";

  // The chunk that contains the line, and the following ones.
  static final String FROM =
      "SELECT "
          + COLUMNS
          + """
           FROM store.log_chunk
          WHERE run = $1 AND (epoch, first_line) >= ($2, coalesce((
            SELECT max(first_line) FROM store.log_chunk
            WHERE run = $1 AND epoch = $2 AND first_line <= $3), 0))
          ORDER BY epoch, first_line LIMIT\
          """
          + " "
          + AT_ONCE;

  static final String BEFORE =
      "SELECT "
          + COLUMNS
          + """
           FROM store.log_chunk
          WHERE run = $1 AND (epoch, first_line) < ($2, $3)
          ORDER BY epoch DESC, first_line DESC LIMIT\
          """
          + " "
          + AT_ONCE;

  static final String CLOSED =
      "SELECT bool_or(last) FROM store.log_chunk WHERE run = $1 AND epoch = $2";

  record Chunk(LogChunkName name, boolean last, long lastMicros, LogIndex index) {
    int epoch() {
      return name.epoch();
    }

    /** Counts the lines of the attempts that match. */
    long lines(Predicate<LogAttempt> wanted) {
      return index.attempts().stream()
          .filter(attempt -> wanted.test(attempt.of()))
          .mapToLong(LogIndex.Attempt::lines)
          .sum();
    }
  }

  private final Pool pool;

  LogChunkRepository(Pool pool) {
    this.pool = pool;
  }

  /** Returns the chunk with this line and some of the following ones; empty if there are none. */
  List<Chunk> from(String run, int epoch, long line) {
    return chunks(run, Await.get(pool.preparedQuery(FROM).execute(Tuple.of(run, epoch, line))));
  }

  /** Returns some of the chunks that begin before this line, nearest first. */
  List<Chunk> before(String run, int epoch, long line) {
    return chunks(run, Await.get(pool.preparedQuery(BEFORE).execute(Tuple.of(run, epoch, line))));
  }

  /** Whether the epoch has chunks, but not its last one. */
  boolean isCutOff(String run, int epoch) {
    Boolean closed =
        Await.get(pool.preparedQuery(CLOSED).execute(Tuple.of(run, epoch)))
            .iterator()
            .next()
            .getBoolean(0);
    return closed != null && !closed;
  }

  private static List<Chunk> chunks(String run, RowSet<Row> rows) {
    List<Chunk> chunks = new ArrayList<>();
    for (Row row : rows) {
      LogChunkName name =
          LogChunkName.of(
              row.getString(3),
              run,
              row.getInteger(0),
              row.getLong(1),
              row.get(Buffer.class, 4).getBytes());
      chunks.add(
          new Chunk(
              name,
              row.getBoolean(6),
              row.getLong(5),
              Json.read(row.get(Buffer.class, 7).getBytes(), LogIndex.class)));
    }
    return chunks;
  }
}
