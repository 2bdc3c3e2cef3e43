/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.capture;

import dev.baton.protocol.grpc.Caller;

/**
 * Identifies the caller of the store.
 *
 * @param project the run's tenant
 * @param token the lease token; may be empty
 */
public record StoreCaller(String run, int epoch, String project, String token) {
  Caller message() {
    return Caller.newBuilder()
        .setProject(project)
        .setRun(run)
        .setEpoch(epoch)
        .setLease(token)
        .build();
  }
}
