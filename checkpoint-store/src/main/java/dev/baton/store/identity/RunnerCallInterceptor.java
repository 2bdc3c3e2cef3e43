/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.identity;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.baton.protocol.grpc.Caller;
import dev.baton.protocol.grpc.CheckpointServiceGrpc;
import dev.baton.protocol.grpc.SnapshotServiceGrpc;
import dev.baton.protocol.net.BearerCredential;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.quarkus.grpc.GlobalInterceptor;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Refuses calls of runners that name no epoch: they need the lease of an epoch, which the services
 * verify. Calls with a credential come from orchestrators or admins, since {@link
 * StoreCallerFilter} refuses all others.
 */
@ApplicationScoped
@GlobalInterceptor
class RunnerCallInterceptor implements ServerInterceptor {
  /** Full names of the methods that runners call. */
  private static final Set<String> METHODS =
      Set.of(
          SnapshotServiceGrpc.getGetSnapshotMethod().getFullMethodName(),
          SnapshotServiceGrpc.getGetLimitsMethod().getFullMethodName(),
          SnapshotServiceGrpc.getPrepareLogChunkMethod().getFullMethodName(),
          SnapshotServiceGrpc.getCommitLogChunkMethod().getFullMethodName(),
          CheckpointServiceGrpc.getPrepareUploadMethod().getFullMethodName(),
          CheckpointServiceGrpc.getPrepareDownloadMethod().getFullMethodName(),
          CheckpointServiceGrpc.getFindChunksMethod().getFullMethodName(),
          CheckpointServiceGrpc.getRegisterPacksMethod().getFullMethodName(),
          CheckpointServiceGrpc.getCommitCheckpointMethod().getFullMethodName(),
          CheckpointServiceGrpc.getOpenCheckpointMethod().getFullMethodName());

  private static final Metadata.Key<String> CREDENTIAL =
      Metadata.Key.of(BearerCredential.HEADER, Metadata.ASCII_STRING_MARSHALLER);

  private final boolean required;

  RunnerCallInterceptor(StoreCallerAuthenticator callers) {
    this.required = callers.isRequired();
  }

  /** Whether a request's path is that of a method that runners call. */
  static boolean isRunnerCall(@Nullable String path) {
    return path != null && path.startsWith("/") && METHODS.contains(path.substring(1));
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    ServerCall.Listener<Q> listener = next.startCall(call, headers);
    if (!required
        || headers.containsKey(CREDENTIAL)
        || !METHODS.contains(call.getMethodDescriptor().getFullMethodName())) {
      return listener;
    }
    return new SimpleForwardingServerCallListener<>(listener) {
      private boolean isRefused;

      @Override
      public void onMessage(Q message) {
        if (isWithoutEpoch(message)) {
          isRefused = true;
          call.close(
              Status.UNAUTHENTICATED.withDescription(
                  "the call names no epoch and has no credential of a service"),
              new Metadata());
        } else {
          super.onMessage(message);
        }
      }

      @Override
      public void onHalfClose() {
        if (!isRefused) {
          super.onHalfClose();
        }
      }
    };
  }

  private static boolean isWithoutEpoch(Object message) {
    if (!(message instanceof Message request)) {
      return false;
    }
    FieldDescriptor field = request.getDescriptorForType().findFieldByName("caller");
    return field != null
        && request.getField(field) instanceof Caller caller
        && caller.getEpoch() == 0;
  }
}
