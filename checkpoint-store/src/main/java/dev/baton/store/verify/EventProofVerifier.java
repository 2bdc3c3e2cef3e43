/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.verify;

import dev.baton.lease.EventSignatureCodec;
import dev.baton.lease.EventSignatureCodec.SignedEvent;
import dev.baton.lease.LeaseAuthenticator;
import dev.baton.lease.LeaseTokenCodec;
import dev.baton.lease.LeaseVerdict;
import dev.baton.lease.LeaseVerdict.Reason;
import dev.baton.lease.LeaseVerdict.Refused;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.Lane;
import dev.baton.store.failure.StoreRequestException;
import io.smallrye.mutiny.Uni;
import io.vertx.core.buffer.Buffer;
import io.vertx.mutiny.sqlclient.Pool;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.RowSet;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Verifies the stored events of a run again: the signatures of control events over their stored
 * bytes, and the leases of runners. Events are verified before they are stored, so this finds rows
 * that were changed since, and keys that were removed. Thread-safe.
 */
@ApplicationScoped
public class EventProofVerifier {
  /** An event of the control lane may have a megabyte. */
  private static final int PAGE = 50;

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final String HOME =
      "SELECT signed, needs_lease FROM store.run_home WHERE run = $1";
  private static final String CONTROL =
      """
      SELECT seq, type, lease, data FROM store.event
      WHERE run = $1 AND lane = 0 AND seq > $2 ORDER BY seq LIMIT $3""";
  private static final String RUNNERS =
      """
      SELECT lane, lease, count(*) AS events FROM store.event
      WHERE run = $1 AND lane > 0 GROUP BY lane, lease ORDER BY lane, lease""";

  private final Pool pool;
  private final LeaseAuthenticator leases;

  EventProofVerifier(Pool pool, LeaseAuthenticator leases) {
    this.pool = pool;
    this.leases = leases;
  }

  /**
   * Fails with NOT_FOUND if the run has no events, and with UNAVAILABLE if a key is unknown and no
   * orchestrator answers.
   */
  public Uni<EventProofReport> verify(String run) {
    return query(HOME, Tuple.of(run))
        .map(
            rows -> {
              Row home = rows.size() == 0 ? null : rows.iterator().next();
              return home == null
                  ? new EventProofReport(false, false)
                  : new EventProofReport(home.getBoolean(0), home.getBoolean(1));
            })
        .call(report -> control(run, 0, report))
        .call(report -> runners(run, report))
        .invoke(
            report -> {
              if (report.isEmpty()) {
                throw StoreRequestException.notFound("run " + run + " has no events");
              }
            });
  }

  private Uni<RowSet<Row>> query(String sql, Tuple values) {
    return pool.preparedQuery(sql).execute(values).ifNoItem().after(PATIENCE).fail();
  }

  private Uni<Void> control(String run, long after, EventProofReport report) {
    return query(CONTROL, Tuple.of(run, after, PAGE))
        .chain(
            rows -> {
              List<String> signatures = new ArrayList<>();
              rows.forEach(row -> addIfPresent(signatures, row.getString("lease")));
              return leases
                  .learn(List.of(), signatures)
                  .chain(
                      () -> {
                        long last = after;
                        for (Row row : rows) {
                          last = row.getLong("seq");
                          addControl(run, row, report);
                        }
                        return rows.size() < PAGE
                            ? Uni.createFrom().voidItem()
                            : control(run, last, report);
                      });
            });
  }

  private void addControl(String run, Row row, EventProofReport report) {
    EventId id = new EventId(run, Lane.CONTROL, row.getLong("seq"));
    String signature = row.getString("lease");
    Refused refusal;
    if (signature == null) {
      refusal =
          report.isSigned()
              ? new Refused(Reason.MISSING, "its signature is not stored, but its run needs one")
              : null;
    } else {
      byte[] data = Objects.requireNonNull(row.get(Buffer.class, "data")).getBytes();
      refusal =
          leases.signatureRefusal(
              signature, new SignedEvent(id.toString(), row.getString("type"), data));
    }
    report.addControl(
        id.seq(),
        signature == null ? null : EventSignatureCodec.kid(signature),
        problem(id.toString(), refusal, 1));
  }

  private Uni<Void> runners(String run, EventProofReport report) {
    return query(RUNNERS, Tuple.of(run))
        .chain(
            rows -> {
              List<String> tokens = new ArrayList<>();
              rows.forEach(row -> addIfPresent(tokens, row.getString("lease")));
              return leases
                  .learn(tokens)
                  .invoke(() -> rows.forEach(row -> addRunner(run, row, report)));
            });
  }

  private void addRunner(String run, Row row, EventProofReport report) {
    int epoch = row.getInteger("lane");
    String lease = row.getString("lease");
    long events = row.getLong("events");
    LeaseVerdict verdict = leases.check(lease, run, epoch);
    Refused refusal =
        verdict instanceof Refused refused
            ? refused
            : verdict instanceof LeaseVerdict.NotAsked && report.needsLease()
                ? new Refused(Reason.MISSING, "it has no lease, but its run needs one")
                : null;
    report.addRunner(
        events,
        lease == null ? null : LeaseTokenCodec.kid(lease),
        problem(run + "/" + Lane.runner(epoch), refusal, events));
  }

  private static EventProofReport.@Nullable Problem problem(
      String event, @Nullable Refused refusal, long events) {
    return refusal == null
        ? null
        : new EventProofReport.Problem(event, refusal.reason().word(), refusal.detail(), events);
  }

  private static void addIfPresent(List<String> all, @Nullable String one) {
    if (one != null) {
      all.add(one);
    }
  }
}
