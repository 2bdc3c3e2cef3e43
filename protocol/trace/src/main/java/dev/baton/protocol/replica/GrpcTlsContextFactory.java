/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.replica;

import dev.baton.protocol.tls.TlsSettings;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import javax.net.ssl.SSLException;

/** Creates the TLS contexts of gRPC clients. Needs grpc-netty on the class path. */
public final class GrpcTlsContextFactory {
  private GrpcTlsContextFactory() {}

  /** Returns a context that reads changed files of the settings again. */
  public static SslContext create(TlsSettings tls) {
    try {
      return GrpcSslContexts.configure(
              SslContextBuilder.forClient()
                  .trustManager(tls.trustManager())
                  .keyManager(tls.keyManager().orElse(null))
                  .sessionTimeout(TlsSettings.SESSION_SECONDS),
              SslProvider.JDK)
          .build();
    } catch (SSLException e) {
      throw new IllegalStateException("every JDK has TLS with ALPN", e);
    }
  }
}
