/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import dev.baton.lease.LeaseAuthenticator;
import dev.baton.lease.LeaseVerdict;
import dev.baton.protocol.trace.EventId;
import dev.baton.protocol.trace.TraceEvent;
import io.smallrye.mutiny.Uni;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides which events of the log count, before any of them is folded, in the same way in every
 * reader. An event must be in the home partition of its run. A run whose {@code run_created} an
 * orchestrator has signed accepts only control events with such a signature and, if it is managed,
 * only events of runners with a lease. A signature or lease that is present must be valid.
 * Thread-safe.
 */
public final class EventAdmissionGuard {
  private final HomePartitionGuard homes;
  private final LeaseAuthenticator leases;
  private final BooleanSupplier acceptsUnsigned;
  private final RecordSignatureGuard signatures;
  private final ControlSequenceGuard sequences;

  /**
   * @param controlSeqs what this service has applied
   * @param acceptsUnsigned whether services of an earlier version, which sign nothing, may write
   *     control events now
   */
  public EventAdmissionGuard(
      RunHomeStore homes,
      ControlSeqStore controlSeqs,
      LeaseAuthenticator leases,
      BooleanSupplier acceptsUnsigned) {
    this.leases = leases;
    this.acceptsUnsigned = acceptsUnsigned;
    this.sequences = new ControlSequenceGuard(controlSeqs);
    this.signatures = new RecordSignatureGuard(leases, acceptsUnsigned);
    this.homes = new HomePartitionGuard(homes, this::isSigned);
  }

  /** Fetches the keys, homes and applied seqs that {@link #refusal} needs. */
  public Uni<Void> learn(SinkBatch batch) {
    return leases
        .learn(batch.leases(), batch.signatures())
        .chain(() -> homes.learn(batch))
        .chain(() -> sequences.learn(batch, this::isUnsigned, this::isSigned));
  }

  private boolean isSigned(SinkRecord event) {
    return homes.refusal(event) == null
        && signatures.isSigned(event.record().headers(), event.data());
  }

  /** Whether the control event is admitted without a signature. */
  private boolean isUnsigned(SinkRecord event) {
    RunHome home = homes.home(event.id().run());
    return event.signature() == null
        && homes.refusal(event) == null
        && (home == null || !home.isSigned() || acceptsUnsigned.getAsBoolean());
  }

  /** Whether the record opens its run. */
  public static boolean isCreation(SinkRecord record) {
    return record.known() != null && record.known().event() instanceof TraceEvent.RunCreated;
  }

  /** Returns the reason for the dead letter of an event that is not in its home partition. */
  public static String strayReason(int partition, int home) {
    return HomePartitionGuard.reason(partition, home);
  }

  /** Returns in one line why the event must not be applied; null if it counts. */
  public @Nullable String refusal(SinkRecord event) {
    String astray = homes.refusal(event);
    if (astray != null) {
      return astray;
    }
    RunHome home = homes.home(event.id().run());
    if (!event.id().lane().isControl()) {
      return leaseRefusal(event, home != null && home.needsLease());
    }
    String skips = sequences.refusal(event);
    return skips != null
        ? skips
        : signatures.refusal(
            name(event),
            event.id().run(),
            event.record().headers(),
            event.data(),
            home != null && home.isSigned());
  }

  private @Nullable String leaseRefusal(SinkRecord event, boolean required) {
    EventId id = event.id();
    LeaseVerdict verdict = leases.check(event.lease(), id.run(), id.lane().epoch());
    if (verdict instanceof LeaseVerdict.NotAsked && required) {
      verdict =
          new LeaseVerdict.Refused(
              LeaseVerdict.Reason.MISSING, "it has no lease, but its run needs one");
    }
    if (!(verdict instanceof LeaseVerdict.Refused refusal)) {
      return null;
    }
    leases.refused(name(event), id.run(), refusal);
    return refusal.message();
  }

  private static String name(SinkRecord event) {
    return "event " + event.id();
  }
}
