/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import io.smallrye.mutiny.Uni;

/** Maps problems to gRPC statuses. */
public final class GrpcProblemMapper {
  private GrpcProblemMapper() {}

  /** Returns the result with failures mapped to gRPC statuses. */
  public static <T> Uni<T> mapped(Uni<T> result) {
    return result.onFailure().transform(GrpcProblemMapper::status);
  }

  public static Throwable status(Throwable failure) {
    return failure instanceof io.grpc.StatusRuntimeException
        ? failure
        : ProblemExceptionMapper.ofFailure(failure).status();
  }
}
