/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.docker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Forwards connections to the socket of Docker; can be closed and opened again. */
final class SocketForwarder implements AutoCloseable {
  private final Path socket;
  private final Path target;
  private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();
  private @Nullable ServerSocketChannel server;

  SocketForwarder(Path socket, Path target) {
    this.socket = socket;
    this.target = target;
  }

  URI address() {
    return URI.create("unix://" + socket);
  }

  void open() throws IOException {
    ServerSocketChannel opened = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    opened.bind(UnixDomainSocketAddress.of(socket));
    server = opened;
    Thread.ofVirtual().start(() -> accept(opened));
  }

  private void accept(ServerSocketChannel opened) {
    try {
      while (true) {
        SocketChannel client = opened.accept();
        SocketChannel docker = SocketChannel.open(UnixDomainSocketAddress.of(target));
        connections.add(client);
        connections.add(docker);
        Thread.ofVirtual().start(() -> copy(client, docker));
        Thread.ofVirtual().start(() -> copy(docker, client));
      }
    } catch (IOException e) {
      System.getLogger("test").log(System.Logger.Level.DEBUG, "closed", e);
    }
  }

  private static void copy(SocketChannel from, SocketChannel to) {
    ByteBuffer buffer = ByteBuffer.allocate(8192);
    try (from;
        to) {
      while (from.read(buffer.clear()) >= 0) {
        buffer.flip();
        while (buffer.hasRemaining()) {
          to.write(buffer);
        }
      }
    } catch (IOException e) {
      System.getLogger("test").log(System.Logger.Level.DEBUG, "closed", e);
    }
  }

  /** Ends all connections and accepts none. */
  @Override
  public void close() {
    try {
      if (server != null) {
        server.close();
        Files.deleteIfExists(socket);
      }
      for (SocketChannel connection : connections) {
        connection.close();
      }
      connections.clear();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
