/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;

/** A request to the checkpoint-store failed. */
public sealed class StoreException extends Exception permits DamagedCheckpointException {
  private static final long serialVersionUID = 1L;

  private final boolean temporary;

  StoreException(String message, boolean temporary) {
    super(message);
    this.temporary = temporary;
  }

  static StoreException of(StatusRuntimeException e) {
    boolean temporary =
        switch (e.getStatus().getCode()) {
          case INVALID_ARGUMENT,
              NOT_FOUND,
              PERMISSION_DENIED,
              UNAUTHENTICATED,
              FAILED_PRECONDITION,
              OUT_OF_RANGE,
              ALREADY_EXISTS ->
              false;
          case OK,
              CANCELLED,
              UNKNOWN,
              DEADLINE_EXCEEDED,
              RESOURCE_EXHAUSTED,
              ABORTED,
              INTERNAL,
              // gRPC maps a 404 to this: from a proxy, or a server whose routes are not up yet.
              UNIMPLEMENTED,
              UNAVAILABLE,
              DATA_LOSS ->
              true;
        };
    StoreException wrapped =
        new StoreException("checkpoint-store: " + e.getMessage(), temporary && !isTooLarge(e));
    wrapped.initCause(e);
    return wrapped;
  }

  /**
   * Whether the store no longer has packs that a checkpoint needs: the files must be captured
   * again.
   */
  boolean isPacksGone() {
    return getCause() instanceof StatusRuntimeException e
        && e.getStatus().getCode() == Status.Code.FAILED_PRECONDITION
        && String.valueOf(e.getStatus().getDescription()).startsWith("packs_gone");
  }

  /** Whether the run's state is too large for a snapshot: no runner of the run can get one. */
  public boolean isStateTooLarge() {
    return getCause() instanceof StatusRuntimeException e && isTooLarge(e);
  }

  private static boolean isTooLarge(StatusRuntimeException e) {
    return e.getStatus().getCode() == Status.Code.RESOURCE_EXHAUSTED
        && String.valueOf(e.getStatus().getDescription()).startsWith("state_too_large");
  }

  /**
   * Whether the store reports that the checkpoint of the call does not exist or cannot be read. It
   * reports so only of what its database says, so a later call has the same result.
   */
  boolean isCheckpointGone() {
    if (!(getCause() instanceof StatusRuntimeException e)) {
      return false;
    }
    String description = String.valueOf(e.getStatus().getDescription());
    return e.getStatus().getCode() == Status.Code.NOT_FOUND
        || (e.getStatus().getCode() == Status.Code.FAILED_PRECONDITION
            && (description.startsWith("checkpoint_damaged")
                || description.startsWith("checkpoint_gone")));
  }

  /** Whether the same call may succeed later. */
  public final boolean isTemporary() {
    return temporary;
  }
}
