/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.mcp;

import com.sun.net.httpserver.HttpServer;
import dev.baton.agent.AgentProcessStarter;
import dev.baton.agent.McpAccess;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The servers of one process of an agent, and the proxy on loopback through which the agent reaches
 * them. Agent and capture use the same process of each server. A server that fails never fails the
 * pool. Thread-safe.
 */
public final class McpServerPool implements AutoCloseable {
  private static final int BACKLOG = 64;
  private static final int TOKEN_BYTES = 24;

  static {
    // The server of the JDK reads it once: without it, small events wait for an acknowledgement.
    if (System.getProperty("sun.net.httpserver.nodelay") == null) {
      System.setProperty("sun.net.httpserver.nodelay", "true");
    }
  }

  private final Map<String, McpServer> servers = new LinkedHashMap<>();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final String token;
  private final @Nullable HttpServer proxy;

  private McpServerPool(
      List<McpServerSpec> specs,
      McpStateFolder folder,
      Function<String, AgentProcessStarter> starters,
      McpObserver observer)
      throws IOException {
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    token = Base64.getUrlEncoder().withoutPadding().encodeToString(random);
    for (McpServerSpec spec : specs) {
      servers.put(spec.name(), new McpServer(spec, starters.apply(spec.name()), folder, observer));
    }
    if (servers.isEmpty()) {
      proxy = null;
      return;
    }
    proxy = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), BACKLOG);
    proxy.createContext("/", new McpProxyHandler(servers, token));
    proxy.setExecutor(threads);
  }

  /**
   * Starts servers and proxy, and waits until each server is ready or has failed, at most 60 s.
   *
   * @param specs with distinct names; empty for a pool that does nothing
   * @param folder with the state that servers are started with
   * @param starters starts the processes of a server, by its name, so that ending one ends no other
   * @throws IOException when the proxy cannot listen
   */
  public static McpServerPool start(
      List<McpServerSpec> specs,
      McpStateFolder folder,
      Function<String, AgentProcessStarter> starters,
      McpObserver observer)
      throws IOException, InterruptedException {
    McpServerPool pool = new McpServerPool(specs, folder, starters, observer);
    boolean good = false;
    try {
      if (pool.proxy != null) {
        pool.proxy.start();
      }
      pool.servers.values().forEach(McpServer::begin);
      long end = System.nanoTime() + McpLimits.START.toNanos();
      for (McpServer server : pool.servers.values()) {
        server.awaitStart(Duration.ofNanos(Math.max(1_000_000, end - System.nanoTime())));
      }
      good = true;
      return pool;
    } finally {
      if (!good) {
        pool.close();
      }
    }
  }

  /** How the agent reaches the servers, in the order of their specs. */
  public List<McpAccess> accesses() {
    List<McpAccess> all = new ArrayList<>();
    HttpServer at = proxy;
    if (at != null) {
      for (String name : servers.keySet()) {
        all.add(
            new McpAccess.Http(
                name,
                URI.create("http://127.0.0.1:" + at.getAddress().getPort() + "/mcp/" + name),
                Map.of("Authorization", "Bearer " + token)));
      }
    }
    return all;
  }

  /**
   * Captures the state of all servers side by side into their folders, within about 10 s. A server
   * that fails keeps its state of before, and is noted.
   *
   * @return for each server why it failed; empty when it has not
   */
  public Map<String, Optional<String>> capture() throws InterruptedException {
    Map<String, Future<@Nullable String>> running = new LinkedHashMap<>();
    servers.forEach((name, server) -> running.put(name, threads.submit(server::capture)));
    Map<String, Optional<String>> problems = new LinkedHashMap<>();
    for (Map.Entry<String, Future<@Nullable String>> each : running.entrySet()) {
      Optional<String> problem;
      try {
        problem = Optional.ofNullable(each.getValue().get());
      } catch (ExecutionException e) {
        problem = Optional.of(String.valueOf(e.getCause()));
      }
      problems.put(each.getKey(), problem);
    }
    return problems;
  }

  /** Ends proxy and servers within about 5 s. */
  @Override
  public void close() {
    List<Thread> closing =
        servers.values().stream()
            .map(server -> Thread.ofVirtual().name("mcp-close").start(server::close))
            .toList();
    for (Thread thread : closing) {
      join(thread);
    }
    if (proxy != null) {
      proxy.stop(0);
    }
    threads.shutdownNow();
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
