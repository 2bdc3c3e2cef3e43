/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.sink;

import dev.baton.lease.LeaseAuthenticator;
import dev.baton.lease.LeaseVerdict;
import dev.baton.protocol.trace.TraceCodec;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a record counts that only orchestrators write: control events and signals. Call
 * {@link LeaseAuthenticator#learn} with its signature first. Thread-safe.
 */
public final class RecordSignatureGuard {
  private final LeaseAuthenticator leases;
  private final BooleanSupplier acceptsUnsigned;

  /**
   * @param acceptsUnsigned whether orchestrators of an earlier version, which sign nothing, may
   *     write now
   */
  public RecordSignatureGuard(LeaseAuthenticator leases, BooleanSupplier acceptsUnsigned) {
    this.leases = leases;
    this.acceptsUnsigned = acceptsUnsigned;
  }

  /**
   * Returns in one line why the record does not count, and counts the refusal; null if it does.
   *
   * @param what the record, in a few words
   * @param required whether it needs a signature
   */
  public @Nullable String refusal(
      String what, String run, Headers headers, byte @Nullable [] value, boolean required) {
    LeaseVerdict.Refused refusal =
        TraceCodec.signature(headers) != null
            ? invalid(headers, value)
            : required && !acceptsUnsigned.getAsBoolean()
                ? new LeaseVerdict.Refused(
                    LeaseVerdict.Reason.MISSING, "an orchestrator signs it, this one is not signed")
                : null;
    if (refusal == null) {
      return null;
    }
    leases.refused(what, run, refusal);
    return "signature refused (%s): %s".formatted(refusal.reason().word(), refusal.detail());
  }

  /** Whether the record has a valid signature. */
  boolean isSigned(Headers headers, byte @Nullable [] value) {
    return TraceCodec.signature(headers) != null && invalid(headers, value) == null;
  }

  private LeaseVerdict.@Nullable Refused invalid(Headers headers, byte @Nullable [] value) {
    String signature = TraceCodec.signature(headers);
    return leases.signatureRefusal(
        signature == null ? "" : signature, SignedRecordReader.event(headers, value));
  }
}
