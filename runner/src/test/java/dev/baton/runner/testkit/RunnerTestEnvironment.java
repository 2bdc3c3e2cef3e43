/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.testkit;

import dev.baton.protocol.topic.TopicBootstrap;
import dev.baton.snapshot.TreeDeleter;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.minio.MakeBucketArgs;
import io.minio.MinioClient;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Starts Kafka, S3, a store and a gateway once for all tests of the module. */
public final class RunnerTestEnvironment implements AutoCloseable {
  private final StandaloneStack stack;
  private final Path data;
  private final Server server;
  public final TraceView trace;
  public final ScriptedGateway gateway;
  public final ScriptedStore store;

  /** For the orchestrator's events. */
  final KafkaProducer<String, byte[]> producer;

  public RunnerTestEnvironment() throws Exception {
    data = Files.createTempDirectory("baton-runner-test");
    stack =
        StandaloneStack.builder()
            .data(data.resolve("stack"))
            .components(StackComponent.KAFKA, StackComponent.S3)
            .start();
    try (Admin admin =
        Admin.create(Map.<String, Object>of("bootstrap.servers", stack.kafkaBootstrap()))) {
      TopicBootstrap.ensure(admin, Duration.ofSeconds(30));
    }
    MinioClient s3 =
        MinioClient.builder()
            .endpoint(stack.s3().endpoint())
            .credentials(stack.s3().accessKey(), stack.s3().secretKey())
            .build();
    s3.makeBucket(MakeBucketArgs.builder().bucket(stack.s3().bucket()).build());
    trace = new TraceView(stack.kafkaBootstrap());
    producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", stack.kafkaBootstrap(), "acks", "all"),
            new StringSerializer(),
            new ByteArraySerializer());
    store = new ScriptedStore(trace, s3, stack.s3().bucket());
    gateway = new ScriptedGateway();
    server =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .addServices(store.services())
            .addService(gateway)
            .maxInboundMessageSize(64 << 20)
            .build()
            .start();
  }

  public String kafka() {
    return stack.kafkaBootstrap();
  }

  public String url() {
    return "http://127.0.0.1:" + server.getPort();
  }

  public int port() {
    return server.getPort();
  }

  public Path data() {
    return data;
  }

  public StandaloneStack stack() {
    return stack;
  }

  @Override
  public void close() throws Exception {
    server.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    producer.close(Duration.ofSeconds(5));
    trace.close();
    stack.close();
    TreeDeleter.deleteFully(data);
  }

  /** Injects the one instance into tests. */
  public static final class Extension implements BeforeAllCallback, ParameterResolver {
    @Override
    public void beforeAll(ExtensionContext context) {
      get(context);
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
      return parameter.getParameter().getType() == RunnerTestEnvironment.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
      return get(context);
    }

    private static RunnerTestEnvironment get(ExtensionContext context) {
      return context
          .getRoot()
          .getStore(ExtensionContext.Namespace.GLOBAL)
          .computeIfAbsent(
              RunnerTestEnvironment.class,
              key -> {
                try {
                  return new RunnerTestEnvironment();
                } catch (Exception e) {
                  throw new IllegalStateException("the servers do not start", e);
                }
              },
              RunnerTestEnvironment.class);
    }
  }
}
