/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import com.sun.net.httpserver.HttpServer;
import dev.baton.gateway.upstream.KeyResolver;
import dev.baton.gateway.upstream.UpstreamClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP server between agents and their models, on loopback. Each process of an agent has a
 * session with a token of its own. Thread-safe.
 */
public final class ModelGateway implements AutoCloseable {
  private static final Duration STALL_CHECK = Duration.ofSeconds(1);
  private static final int BACKLOG = 128;

  static {
    // The server of the JDK reads it once: without it, small events wait 40 ms for an
    // acknowledgement.
    if (System.getProperty("sun.net.httpserver.nodelay") == null) {
      System.setProperty("sun.net.httpserver.nodelay", "true");
    }
  }

  private final GatewayConfig config;
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<GatewaySession> sessions = new CopyOnWriteArrayList<>();
  private final UndeliveredAnswers undelivered = new UndeliveredAnswers();
  private final UpstreamClient client;
  private final StallGuard stalls;

  private ModelGateway(
      GatewayConfig config, KeyResolver keys, InstantSource clock, GatewayObserver observer)
      throws IOException {
    this.config = config;
    this.client = new UpstreamClient(keys, config.limits(), clock::instant, config.tls());
    this.stalls = new StallGuard(STALL_CHECK);
    this.server =
        HttpServer.create(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), config.port()), BACKLOG);
    server.createContext("/", new GatewayHandler(config, this::session, client, stalls, observer));
    server.setExecutor(threads);
  }

  /**
   * Starts a gateway.
   *
   * @param clock for the dates in {@code Retry-After}
   * @param observer receives refused tokens; sessions have observers of their own
   * @throws IOException when the port cannot be bound
   */
  public static ModelGateway start(
      GatewayConfig config, KeyResolver keys, InstantSource clock, GatewayObserver observer)
      throws IOException {
    ModelGateway gateway = new ModelGateway(config, keys, clock, observer);
    gateway.server.start();
    return gateway;
  }

  /** The base URL for agents, without a path. */
  public URI baseUrl() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Opens a session for one process of an agent. */
  public GatewaySession open(SessionSpec spec) {
    GatewaySession session =
        new GatewaySession(spec, config.boundaries(), undelivered, sessions::remove);
    sessions.add(session);
    return session;
  }

  /** Compares with every token, so that the time does not depend on which one matches. */
  private @Nullable GatewaySession session(String token) {
    GatewaySession found = null;
    for (GatewaySession session : sessions) {
      if (session.isOpenedBy(token)) {
        found = session;
      }
    }
    return found;
  }

  /** Closes all sessions, connections and calls; answers that are still coming are lost. */
  @Override
  public void close() {
    sessions.forEach(GatewaySession::close);
    server.stop(0);
    threads.shutdownNow();
    client.close();
    stalls.close();
  }
}
