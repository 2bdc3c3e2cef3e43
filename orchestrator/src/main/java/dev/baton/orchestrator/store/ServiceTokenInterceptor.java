/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.store;

import dev.baton.lease.ServiceTokenCodec;
import dev.baton.orchestrator.lease.LeaseSigner;
import dev.baton.protocol.net.BearerCredential;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.time.InstantSource;

/**
 * Authenticates the calls to the checkpoint-store with a token that this orchestrator signs. It
 * signs a new one after half of the token's validity. Thread-safe.
 */
@ApplicationScoped
class ServiceTokenInterceptor implements ClientInterceptor {
  private static final Metadata.Key<String> CREDENTIAL =
      Metadata.Key.of(BearerCredential.HEADER, Metadata.ASCII_STRING_MARSHALLER);

  private final LeaseSigner signer;
  private final InstantSource clock = InstantSource.system();
  private volatile SignedHeader header = new SignedHeader("", Instant.EPOCH);

  ServiceTokenInterceptor(LeaseSigner signer) {
    this.signer = signer;
  }

  private record SignedHeader(String value, Instant renewal) {}

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    return new SimpleForwardingClientCall<>(next.newCall(method, options)) {
      @Override
      public void start(Listener<A> listener, Metadata headers) {
        headers.put(CREDENTIAL, header());
        super.start(listener, headers);
      }
    };
  }

  private String header() {
    Instant now = clock.instant();
    SignedHeader current = header;
    // After a clock was set back, the token is one of the future.
    if (now.isBefore(current.renewal())
        && now.isAfter(current.renewal().minus(ServiceTokenCodec.VALIDITY))) {
      return current.value();
    }
    SignedHeader renewed =
        new SignedHeader(
            BearerCredential.header(signer.signServiceToken(now)),
            now.plus(ServiceTokenCodec.VALIDITY.dividedBy(2)));
    header = renewed;
    return renewed.value();
  }
}
