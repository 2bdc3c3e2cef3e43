/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.stream.IntStream;
import org.jboss.logging.Logger;

/**
 * Connects programs in a sandbox without the network of the host to some ports of the runner's
 * loopback interface, those of the model gateway and of the proxy for MCP servers, and to a {@link
 * SandboxProxy}, which has no port outside of the sandbox. Listens on a socket in a private folder,
 * which is mounted into the sandbox. Thread-safe.
 */
public final class SandboxRelay implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(SandboxRelay.class);
  private static final int BACKLOG = 64;

  /** The lowest port of the proxy in a sandbox, which has another one where this is taken. */
  private static final int PROXY_PORT = 3128;

  private final Set<Integer> ports;
  private final Optional<SandboxProxy> proxy;
  private final Path folder;
  private final ServerSocketChannel server;
  private final Semaphore free = new Semaphore(SandboxForwarderMain.MAX_CONNECTIONS);
  private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();

  private SandboxRelay(
      Set<Integer> ports, Optional<SandboxProxy> proxy, Path folder, ServerSocketChannel server) {
    this.ports = Set.copyOf(ports);
    this.proxy = proxy;
    this.folder = folder;
    this.server = server;
  }

  /**
   * @param ports to which it connects
   * @param proxy that it connects to on {@link #proxyPort}
   * @throws IOException when it cannot listen
   */
  static SandboxRelay open(Set<Integer> ports, Optional<SandboxProxy> proxy) throws IOException {
    Path folder =
        Files.createTempDirectory(
            "baton-relay-",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    SandboxRelay relay = new SandboxRelay(ports, proxy, folder, server);
    try {
      server.bind(UnixDomainSocketAddress.of(relay.socket()), BACKLOG);
    } catch (IOException | RuntimeException e) {
      relay.close();
      throw e;
    }
    Thread.ofVirtual().name("sandbox-relay").start(relay::serve);
    return relay;
  }

  Path socket() {
    return folder.resolve("socket");
  }

  /** Returns the ports on which programs reach it. */
  Set<Integer> ports() {
    Set<Integer> all = new TreeSet<>(ports);
    proxyPort().ifPresent(all::add);
    return all;
  }

  /** Returns the port on which programs reach the proxy; empty without one. */
  OptionalInt proxyPort() {
    return proxy.isEmpty()
        ? OptionalInt.empty()
        : IntStream.iterate(PROXY_PORT, port -> port + 1)
            .filter(port -> !ports.contains(port))
            .findFirst();
  }

  private void serve() {
    while (server.isOpen()) {
      try {
        free.acquire();
        SocketChannel inside = server.accept();
        open.add(inside);
        Thread.ofVirtual().name("sandbox-connection").start(() -> connect(inside));
      } catch (IOException e) {
        if (server.isOpen()) {
          LOG.warnf("sandbox relay: no more connections: %s", e.getMessage());
        }
        return;
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void connect(SocketChannel inside) {
    try (inside;
        SocketChannel outside = SocketChannel.open()) {
      open.add(outside);
      try {
        int port = port(inside);
        if (proxyPort().equals(OptionalInt.of(port))) {
          proxy.orElseThrow().serve(inside, outside);
          return;
        }
        if (!ports.contains(port)) {
          LOG.warnf("sandbox relay: a program has requested port %d, which is not permitted", port);
          return;
        }
        outside.connect(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), port));
        Thread back =
            Thread.ofVirtual()
                .start(
                    () ->
                        SandboxForwarderMain.copy(
                            Channels.newInputStream(outside),
                            Channels.newOutputStream(inside),
                            inside::shutdownOutput));
        SandboxForwarderMain.copy(
            Channels.newInputStream(inside),
            Channels.newOutputStream(outside),
            outside::shutdownOutput);
        back.join();
      } finally {
        open.remove(outside);
      }
    } catch (IOException e) {
      LOG.debugf("sandbox relay: a connection has failed: %s", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      open.remove(inside);
      free.release();
    }
  }

  /** Reads the port with which each connection begins; -1 when it ends before. */
  private static int port(SocketChannel inside) throws IOException {
    ByteBuffer port = ByteBuffer.allocate(Integer.BYTES);
    while (port.hasRemaining()) {
      if (inside.read(port) < 0) {
        return -1;
      }
    }
    return port.flip().getInt();
  }

  /** Closes all connections and removes the socket. */
  @Override
  public void close() {
    try {
      server.close();
      for (SocketChannel channel : open) {
        channel.close();
      }
      Files.deleteIfExists(socket());
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      LOG.warnf("sandbox relay: %s cannot be removed: %s", folder, e.getMessage());
    }
  }
}
