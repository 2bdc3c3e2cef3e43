/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.audit;

import dev.baton.orchestrator.identity.AuditedCall;
import dev.baton.orchestrator.identity.Caller;
import dev.baton.protocol.audit.AuditOutcome;
import dev.baton.protocol.audit.AuditRecord;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Records calls. A changing call is recorded before it runs, and its record is completed before it
 * is answered: a replica that is killed in between leaves a record with the outcome {@code
 * unknown}. Thread-safe.
 */
@ApplicationScoped
public class AuditLog {
  private static final Logger LOG = Logger.getLogger(AuditLog.class);

  private final AuditRepository records;
  private final RefusedCallCounter refused;
  private final Counter incomplete;

  AuditLog(AuditRepository records, RefusedCallCounter refused, MeterRegistry metrics) {
    this.records = records;
    this.refused = refused;
    this.incomplete =
        Counter.builder("baton.audit.incomplete")
            .description("records of calls whose outcome could not be stored")
            .register(metrics);
  }

  /**
   * Records that a call begins.
   *
   * @return fails when it cannot be recorded; the call must then not run
   */
  public Uni<Void> begin(AuditedCall call, String operation, @Nullable String target) {
    call.operation(operation);
    call.target(target);
    return records
        .add(record(call, operation, AuditOutcome.UNKNOWN, null, null))
        .invoke(call::begin);
  }

  /**
   * Completes the record of a call that has begun. Never fails: the call has happened, and its
   * record then has the outcome {@code unknown}.
   */
  public Uni<Void> end(
      AuditedCall call, AuditOutcome outcome, String status, @Nullable String problem) {
    AuditRecord record = record(call, String.valueOf(call.operation()), outcome, status, problem);
    Uni<Void> written =
        outcome == AuditOutcome.REFUSED && !refused.isFirst(record)
            ? records.remove(record.id())
            : records.complete(record);
    return written
        .onFailure()
        .invoke(
            failure -> {
              incomplete.increment();
              LOG.warnf("audit: the outcome of request %s is not stored: %s", call.id(), failure);
            })
        .onFailure()
        .recoverWithNull();
  }

  /** Records a refused call that has not begun. Never fails, and does not wait. */
  void refuse(AuditedCall call, String operation, String status, @Nullable String problem) {
    AuditRecord record = record(call, operation, AuditOutcome.REFUSED, status, problem);
    if (refused.isFirst(record)) {
      records
          .add(record)
          .subscribe()
          .with(
              done -> {},
              failure -> {
                incomplete.increment();
                LOG.warnf("audit: a refused call is not recorded: %s", failure);
              });
    }
  }

  private static AuditRecord record(
      AuditedCall call,
      String operation,
      AuditOutcome outcome,
      @Nullable String status,
      @Nullable String problem) {
    Caller caller = call.caller();
    return new AuditRecord(
        call.id(),
        call.time(),
        caller == null ? null : caller.name(),
        caller == null ? null : caller.id(),
        call.roles(),
        call.peer(),
        operation,
        call.projects(),
        call.runs(),
        call.target(),
        outcome.word(),
        status,
        problem,
        1);
  }
}
