/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import dev.baton.orchestrator.lease.LeaseSigner;
import dev.baton.protocol.net.BearerCredential;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.MetadataUtils;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.net.URI;
import java.util.Optional;
import org.eclipse.microprofile.config.ConfigProvider;

/** The addresses of the service under test and its servers. */
@ApplicationScoped
public class OrchestratorTestEnvironment {
  @Inject LeaseSigner signer;

  public URI base() {
    return URI.create(ConfigProvider.getConfig().getValue("test.url", String.class) + "/");
  }

  public OrchestratorTestClient api() {
    return new OrchestratorTestClient(base());
  }

  public TraceLog log() {
    return new TraceLog(
        ConfigProvider.getConfig().getValue("kafka.bootstrap.servers", String.class), signer);
  }

  /**
   * Returns a channel to the gRPC port; the caller closes it.
   *
   * @param key sent with each call
   */
  public ManagedChannel channel(Optional<String> key) {
    Metadata headers = new Metadata();
    key.ifPresent(
        value ->
            headers.put(
                Metadata.Key.of(BearerCredential.HEADER, Metadata.ASCII_STRING_MARSHALLER),
                BearerCredential.header(value)));
    return NettyChannelBuilder.forAddress("127.0.0.1", port())
        .usePlaintext()
        .intercept(MetadataUtils.newAttachHeadersInterceptor(headers))
        .build();
  }

  public int port() {
    return base().getPort();
  }
}
