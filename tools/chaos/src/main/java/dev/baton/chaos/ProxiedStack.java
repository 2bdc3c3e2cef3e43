/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.baton.chaos.fault.ClockSkewInjector;
import dev.baton.chaos.fault.FaultTargets;
import dev.baton.chaos.fault.NetworkNamespace;
import dev.baton.chaos.fault.ProxiedLinks;
import dev.baton.chaos.fault.SpoolDisk;
import dev.baton.standalone.ServiceReplica;
import dev.baton.standalone.StackBuilder;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A stack, with replicas of its services, whose connections lead through proxies. Each replica from
 * the second on has its own proxies, except to the brokers, where all share one.
 */
final class ProxiedStack implements AutoCloseable {
  private static final String DATABASE_OF_ORCHESTRATOR = "orchestrator-postgres";
  private static final String DATABASE_OF_STORE = "store-postgres";
  private static final String OBJECTS = "object-store";
  private static final String STORE = "checkpoint-store";
  private static final String ATTACH = "runner-orchestrator";
  private static final String LOG = "kafka";
  private static final List<String> EACH =
      List.of(DATABASE_OF_ORCHESTRATOR, DATABASE_OF_STORE, OBJECTS, STORE, ATTACH);

  private final Path data;
  private final int replicas;
  private final Map<String, String> settings;
  private final ClockSkewInjector clocks;
  private final ProxiedLinks ways;
  private final int forwarded;

  private ProxiedStack(
      Path data,
      int replicas,
      Map<String, String> settings,
      ClockSkewInjector clocks,
      ProxiedLinks ways,
      int forwarded) {
    this.data = data;
    this.replicas = replicas;
    this.settings = Map.copyOf(settings);
    this.clocks = clocks;
    this.ways = ways;
    this.forwarded = forwarded;
  }

  /**
   * Prepares a stack that has not started.
   *
   * @param folder for files outside of the stack's data
   * @param replicas number of each service, including the stack's own
   * @param settings additional environment variables of the services
   */
  static ProxiedStack open(Path data, Path folder, int replicas, Map<String, String> settings)
      throws IOException, InterruptedException {
    ClockSkewInjector clocks = ClockSkewInjector.of(data, folder);
    return new ProxiedStack(
        data,
        replicas,
        settings,
        clocks,
        ProxiedLinks.open(names(replicas)),
        ServiceReplica.freePort());
  }

  private static List<String> names(int replicas) {
    List<String> names = new ArrayList<>();
    for (int n = 1; n <= replicas; n++) {
      for (String way : EACH) {
        names.add(name(way, n));
      }
    }
    names.add(LOG);
    return names;
  }

  private static String name(String way, int n) {
    return n == 1 ? way : way + "-" + n;
  }

  /** Starts the stack, without replicas. */
  StandaloneStack start() throws IOException, InterruptedException {
    Thread router = Thread.ofVirtual().name("router").start(this::route);
    try {
      StackBuilder builder =
          StandaloneStack.builder()
              .data(data)
              .environment(
                  StackComponent.KAFKA,
                  "BATON_KAFKA_FORWARDED",
                  forwarded + ":" + ways.get(LOG).port());
      clocks.environment().forEach((name, value) -> both(builder, name, value));
      settings.forEach((name, value) -> both(builder, name, value));
      environment(StackComponent.ORCHESTRATOR, 1)
          .forEach((name, value) -> builder.environment(StackComponent.ORCHESTRATOR, name, value));
      environment(StackComponent.STORE, 1)
          .forEach((name, value) -> builder.environment(StackComponent.STORE, name, value));
      return builder.start();
    } finally {
      router.interrupt();
    }
  }

  private static void both(StackBuilder builder, String name, String value) {
    builder
        .environment(StackComponent.ORCHESTRATOR, name, value)
        .environment(StackComponent.STORE, name, value);
  }

  /** Starts the replicas, which stop with the stack. */
  List<ServiceReplica> replicate(StandaloneStack stack) throws IOException, InterruptedException {
    List<ServiceReplica> started = new ArrayList<>();
    for (int n = 2; n <= replicas; n++) {
      started.add(replica(stack, StackComponent.STORE, STORE, n));
      started.add(replica(stack, StackComponent.ORCHESTRATOR, ATTACH, n));
    }
    return started;
  }

  private ServiceReplica replica(StandaloneStack stack, StackComponent service, String way, int n)
      throws IOException, InterruptedException {
    int port = ServiceReplica.freePort();
    ServiceReplica replica = stack.replica(service, port, environment(service, n));
    ways.get(name(way, n)).to(port);
    clocks.add(replica);
    replica.start();
    return replica;
  }

  /** Returns the targets of faults. */
  FaultTargets surroundings(SpoolDisk spool) throws IOException, InterruptedException {
    return new FaultTargets(ways, LOG, clocks, spool, NetworkNamespace.find());
  }

  /** Environment that sends the n-th instance of a service through the proxies of its own. */
  private Map<String, String> environment(StackComponent service, int n) {
    return service == StackComponent.STORE
        ? Map.of(
            "BATON_DB_PORT",
            port(name(DATABASE_OF_STORE, n)),
            "BATON_OBJECT_STORE_ENDPOINT",
            url(name(OBJECTS, n)))
        : Map.of(
            "KAFKA_BOOTSTRAP_SERVERS",
            "127.0.0.1:" + ways.get(LOG).port(),
            "BATON_DB_PORT",
            port(name(DATABASE_OF_ORCHESTRATOR, n)),
            "BATON_STORE_URL",
            all(STORE, n),
            "BATON_ORCHESTRATOR_URL",
            all(ATTACH, n));
  }

  private String all(String way, int first) {
    return IntStream.range(0, replicas)
        .mapToObj(i -> url(name(way, 1 + (first - 1 + i) % replicas)))
        .collect(Collectors.joining(","));
  }

  private String port(String way) {
    return Integer.toString(ways.get(way).port());
  }

  private String url(String way) {
    return "http://127.0.0.1:" + ways.get(way).port();
  }

  /**
   * Routes the proxies to the stack's ports. The stack chooses its ports during its start, and
   * publishes them before it starts any process.
   */
  private void route() {
    Path file = data.resolve("stack.json");
    try {
      while (true) {
        JsonNode ports =
            Files.exists(file)
                ? new ObjectMapper().readTree(Files.readString(file)).path("ports")
                : MissingNode.getInstance();
        if (ports.has("orchestrator")) {
          for (int n = 1; n <= replicas; n++) {
            ways.get(name(DATABASE_OF_ORCHESTRATOR, n)).to(ports.path("postgres").asInt());
            ways.get(name(DATABASE_OF_STORE, n)).to(ports.path("postgres").asInt());
            ways.get(name(OBJECTS, n)).to(ports.path("s3").asInt());
          }
          ways.get(STORE).to(ports.path("store").asInt());
          ways.get(ATTACH).to(ports.path("orchestrator").asInt());
          ways.get(LOG).to(forwarded);
          return;
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() throws IOException {
    ways.close();
  }
}
