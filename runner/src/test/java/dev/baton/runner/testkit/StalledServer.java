/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;

/** An object store that accepts everything and never answers. */
public final class StalledServer implements AutoCloseable {
  private final ServerSocket server;
  private final CompletableFuture<Void> reached = new CompletableFuture<>();
  private final CompletableFuture<Void> left = new CompletableFuture<>();

  public StalledServer() throws IOException {
    server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  public String url() {
    return "http://127.0.0.1:" + server.getLocalPort() + "/pack";
  }

  /** Completes when a client waits for an answer. */
  public CompletableFuture<Void> reached() {
    return reached;
  }

  /** Completes when the first client has closed its connection. */
  public CompletableFuture<Void> left() {
    return left;
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        Thread.ofVirtual().start(() -> take(client));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void take(Socket client) {
    try (client) {
      if (client.getInputStream().read() >= 0) {
        reached.complete(null);
      }
      client.getInputStream().transferTo(java.io.OutputStream.nullOutputStream());
    } catch (IOException reset) {
      // The client is gone in any case.
    }
    left.complete(null);
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
