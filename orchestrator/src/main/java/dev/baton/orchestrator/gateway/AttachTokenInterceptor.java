/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import dev.baton.protocol.net.BearerCredential;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.spi.Prioritized;

/** Passes the token in a call's metadata on to the service. */
@ApplicationScoped
class AttachTokenInterceptor implements ServerInterceptor, Prioritized {
  /** The call's token; null when it has none. */
  static final Context.Key<String> TOKEN = Context.key("attach-token");

  private static final Metadata.Key<String> METADATA =
      Metadata.Key.of(BearerCredential.HEADER, Metadata.ASCII_STRING_MARSHALLER);

  /** Runs after all others, on the thread that calls the service: the context is thread-local. */
  @Override
  public int getPriority() {
    return Integer.MIN_VALUE;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    String value = headers.get(METADATA);
    String token = value == null ? null : BearerCredential.of(value).orElse(null);
    return token == null
        ? next.startCall(call, headers)
        : Contexts.interceptCall(Context.current().withValue(TOKEN, token), call, headers, next);
  }
}
