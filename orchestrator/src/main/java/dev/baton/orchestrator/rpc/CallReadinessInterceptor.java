/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.rpc;

import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.spi.Prioritized;

/** Passes on to a service when the client of its stream can take further items. */
@ApplicationScoped
class CallReadinessInterceptor implements ServerInterceptor, Prioritized {
  /** Of calls that stream to their client. */
  static final Context.Key<CallReadiness> READINESS = Context.key("call-readiness");

  /** Runs after all others, on the thread that calls the service: the context is thread-local. */
  @Override
  public int getPriority() {
    return Integer.MIN_VALUE;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (call.getMethodDescriptor().getType() != MethodDescriptor.MethodType.SERVER_STREAMING) {
      return next.startCall(call, headers);
    }
    CallReadiness readiness = new CallReadiness(call::isReady);
    ServerCall.Listener<Q> listener =
        Contexts.interceptCall(
            Context.current().withValue(READINESS, readiness), call, headers, next);
    return new SimpleForwardingServerCallListener<>(listener) {
      @Override
      public void onReady() {
        super.onReady();
        readiness.changed();
      }
    };
  }
}
