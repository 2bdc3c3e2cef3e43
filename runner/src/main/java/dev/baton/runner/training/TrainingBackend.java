/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.training;

import dev.baton.protocol.grpc.Assign;
import dev.baton.protocol.grpc.Confirm;
import dev.baton.protocol.grpc.Confirmed;
import dev.baton.protocol.grpc.GatewayMessage;
import dev.baton.protocol.grpc.RunnerGatewayServiceGrpc;
import dev.baton.protocol.grpc.RunnerMessage;
import io.grpc.ServerServiceDefinition;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;

/**
 * Implements the parts of the orchestrator and the store that one run needs: assigns the run and
 * confirms its epoch.
 */
final class TrainingBackend {
  private final Assign assign;
  private final TrainingCheckpointStore store;

  TrainingBackend(Assign assign, TrainingCheckpointStore store) {
    this.assign = assign;
    this.store = store;
  }

  List<ServerServiceDefinition> services() {
    List<ServerServiceDefinition> all = new ArrayList<>(store.services());
    all.add(new Gateway().bindService());
    return all;
  }

  private static GatewayMessage confirmed(Confirm asked) {
    return GatewayMessage.newBuilder()
        .setConfirmed(
            Confirmed.newBuilder()
                .setRun(asked.getRun())
                .setEpoch(asked.getEpoch())
                .setSuspension(asked.getSuspension()))
        .build();
  }

  private final class Gateway extends RunnerGatewayServiceGrpc.RunnerGatewayServiceImplBase {
    @Override
    public StreamObserver<RunnerMessage> attach(StreamObserver<GatewayMessage> toRunner) {
      return new StreamObserver<>() {
        @Override
        public void onNext(RunnerMessage message) {
          if (message.hasHello()) {
            toRunner.onNext(GatewayMessage.newBuilder().setAssign(assign).build());
          } else if (message.hasConfirm()) {
            // On a busy machine a heartbeat can be as late as with a network partition.
            toRunner.onNext(confirmed(message.getConfirm()));
          }
        }

        @Override
        public void onError(Throwable broken) {
          // The rehearsal is over.
        }

        @Override
        public void onCompleted() {
          toRunner.onCompleted();
        }
      };
    }
  }
}
