/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.quarkus.grpc.GlobalInterceptor;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.spi.Prioritized;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Cancels the calls of a closed connection. The server does so only when the client has reset its
 * streams, which a killed client never does (eclipse-vertx/vertx-grpc#101).
 */
@GlobalInterceptor
@ApplicationScoped
class ClosedConnectionInterceptor implements ServerInterceptor, Prioritized {
  /** Runs before interceptors that leave the thread on which the request's context is available. */
  private static final int FIRST = Integer.MAX_VALUE - 10;

  @Override
  public int getPriority() {
    return FIRST;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    Context context = Vertx.currentContext();
    RoutingContext request =
        context == null ? null : context.getLocal(RoutingContext.class.getName());
    if (request == null) {
      return next.startCall(call, headers);
    }
    AtomicBoolean over = new AtomicBoolean();
    ServerCall<Q, A> watched =
        new SimpleForwardingServerCall<>(call) {
          @Override
          public void close(Status status, Metadata trailers) {
            over.set(true);
            super.close(status, trailers);
          }
        };
    ServerCall.Listener<Q> listener = next.startCall(watched, headers);
    request.addEndHandler(
        ended -> {
          if (ended.failed() && over.compareAndSet(false, true)) {
            listener.onCancel();
          }
        });
    return new SimpleForwardingServerCallListener<>(listener) {
      @Override
      public void onCancel() {
        if (over.compareAndSet(false, true)) {
          super.onCancel();
        }
      }
    };
  }
}
