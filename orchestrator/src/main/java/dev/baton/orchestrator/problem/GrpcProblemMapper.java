/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import io.grpc.protobuf.StatusProto;
import io.smallrye.mutiny.Uni;
import org.jspecify.annotations.Nullable;

/** Maps problems to gRPC statuses. */
public final class GrpcProblemMapper {
  private GrpcProblemMapper() {}

  /** Returns the result with failures mapped to gRPC statuses. */
  public static <T> Uni<T> mapped(Uni<T> result) {
    return result.onFailure().transform(GrpcProblemMapper::status);
  }

  /** Returns the type of a problem that was mapped to a status; null for none. */
  public static @Nullable String type(@Nullable Throwable failure) {
    if (failure == null) {
      return null;
    }
    com.google.rpc.Status status = StatusProto.fromThrowable(failure);
    if (status == null) {
      return null;
    }
    for (Any detail : status.getDetailsList()) {
      if (detail.is(ErrorInfo.class)) {
        try {
          return detail.unpack(ErrorInfo.class).getMetadataOrDefault("type", null);
        } catch (InvalidProtocolBufferException e) {
          throw new IllegalStateException("this service wrote an invalid status", e);
        }
      }
    }
    return null;
  }

  public static Throwable status(Throwable failure) {
    return failure instanceof io.grpc.StatusRuntimeException
        ? failure
        : ProblemExceptionMapper.ofFailure(failure).status();
  }
}
