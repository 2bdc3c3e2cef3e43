/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.failure;

import com.google.protobuf.Any;
import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.vertx.core.impl.NoStackTraceThrowable;
import io.vertx.pgclient.PgException;
import java.io.IOException;
import java.util.Objects;
import org.jboss.logging.Logger;

/** Translates failures into gRPC statuses and REST problems. */
public final class FailureTranslator {
  private static final Logger LOG = Logger.getLogger(FailureTranslator.class);

  /** The domain of the reasons in gRPC error details. */
  private static final String ERROR_DOMAIN = "baton.dev";

  private FailureTranslator() {}

  /** Translates any failure into a gRPC status; logs unexpected ones. */
  public static StatusRuntimeException asStatus(Throwable thrown) {
    if (thrown instanceof StatusRuntimeException status) {
      return status;
    }
    if (thrown instanceof StoreRequestException failure) {
      Status status =
          switch (failure.kind()) {
            case INVALID -> Status.INVALID_ARGUMENT;
            case NOT_FOUND -> Status.NOT_FOUND;
            case REFUSED -> Status.FAILED_PRECONDITION;
            case FENCED -> Status.PERMISSION_DENIED;
            case NOT_YET -> Status.DEADLINE_EXCEEDED;
            case EXHAUSTED -> Status.RESOURCE_EXHAUSTED;
            case UNAVAILABLE -> Status.UNAVAILABLE;
          };
      return detailed(status.getCode(), words(failure), failure.kind().name());
    }
    if (isAway(thrown)) {
      return detailed(
          Status.Code.UNAVAILABLE, words(thrown), StoreRequestException.Kind.UNAVAILABLE.name());
    }
    LOG.error("request failed with an unexpected error", thrown);
    return detailed(Status.Code.INTERNAL, words(thrown), "INTERNAL");
  }

  /** Returns a status with an {@code ErrorInfo} that has the reason. */
  private static StatusRuntimeException detailed(Status.Code code, String message, String reason) {
    return StatusProto.toStatusRuntimeException(
        com.google.rpc.Status.newBuilder()
            .setCode(code.value())
            .setMessage(message)
            .addDetails(
                Any.pack(ErrorInfo.newBuilder().setReason(reason).setDomain(ERROR_DOMAIN).build()))
            .build());
  }

  static int httpStatus(StoreRequestException.Kind kind) {
    return switch (kind) {
      case INVALID -> 400;
      case NOT_FOUND -> 404;
      case REFUSED -> 409;
      case FENCED -> 403;
      case NOT_YET -> 504;
      case EXHAUSTED, UNAVAILABLE -> 503;
    };
  }

  /**
   * Whether a dependency (Postgres, the object store) is unavailable, starting or stopping: the
   * same request may succeed later.
   */
  public static boolean isAway(Throwable thrown) {
    for (Throwable t = thrown; t != null; t = t.getCause()) {
      if (t instanceof PgException pg) {
        // 08 connection, 53 resources, 57 operator intervention (shutdown, starting up), 40
        // rollback
        String state = Objects.requireNonNullElse(pg.getSqlState(), "");
        return state.startsWith("08")
            || state.startsWith("53")
            || state.startsWith("57")
            || state.startsWith("40");
      }
      if (t instanceof IOException
          || t instanceof NoStackTraceThrowable
          || t instanceof io.smallrye.mutiny.TimeoutException
          || t instanceof io.vertx.core.VertxException) {
        return true;
      }
    }
    return false;
  }

  public static String words(Throwable thrown) {
    String message = thrown.getMessage();
    return message == null ? thrown.getClass().getSimpleName() : message;
  }
}
