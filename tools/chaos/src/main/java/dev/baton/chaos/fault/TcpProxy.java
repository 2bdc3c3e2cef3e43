/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Simulates the network between a program and a server on 127.0.0.1; can be cut and healed.
 *
 * <p>While cut, it behaves like a network that loses all packets: connections stay open and no data
 * passes in either direction; new connections are accepted and stay silent. Data sent meanwhile
 * arrives after healing, as after a TCP retransmission. {@link #drop} is the other failure: all
 * connections break at once. Thread-safe.
 */
public final class TcpProxy implements AutoCloseable {
  private static final int BUFFER = 16 << 10;

  private final ServerSocket listener;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Object change = new Object();
  private @Nullable Integer target;
  private boolean cut;
  private Duration delay = Duration.ZERO;
  private boolean closed;

  private TcpProxy(ServerSocket listener) {
    this.listener = listener;
  }

  /** Listens; connections wait until {@link #to} sets the target. */
  public static TcpProxy open() throws IOException {
    return open(new ServerSocket(0, 128, InetAddress.getLoopbackAddress()));
  }

  /**
   * {@link #open()} with the socket of the caller, for example one with TLS, which only the client
   * side uses then.
   */
  public static TcpProxy open(ServerSocket listener) {
    TcpProxy proxy = new TcpProxy(listener);
    Thread.ofPlatform().daemon().name("proxy").start(proxy::accept);
    return proxy;
  }

  /** The port on 127.0.0.1 that programs connect to. */
  public int port() {
    return listener.getLocalPort();
  }

  /** Sets the target port on 127.0.0.1. */
  public TcpProxy to(int port) {
    synchronized (change) {
      target = port;
      change.notifyAll();
    }
    return this;
  }

  /**
   * Stops the traffic: after its return no data passes, except data already read and not yet
   * written.
   */
  public void cut() {
    synchronized (change) {
      cut = true;
    }
  }

  public void heal() {
    synchronized (change) {
      cut = false;
      change.notifyAll();
    }
  }

  /** Delays each piece of data by this time; zero for no delay. */
  public void delay(Duration time) {
    synchronized (change) {
      delay = time;
    }
  }

  /** Breaks all connections; new ones are not affected. */
  public void drop() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  @Override
  public void close() throws IOException {
    synchronized (change) {
      closed = true;
      change.notifyAll();
    }
    listener.close();
    drop();
  }

  private void accept() {
    while (true) {
      Socket client;
      try {
        client = listener.accept();
      } catch (IOException ended) {
        synchronized (change) {
          if (closed) {
            return;
          }
        }
        throw new UncheckedIOException(ended);
      }
      sockets.add(client);
      Thread.ofVirtual().name("proxy-connection").start(() -> connect(client));
    }
  }

  private void connect(Socket client) {
    Socket server = new Socket();
    sockets.add(server);
    try (client;
        server) {
      int port = awaitOpen();
      server.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      client.setTcpNoDelay(true);
      server.setTcpNoDelay(true);
      Thread back = Thread.ofVirtual().name("proxy-back").start(() -> pump(server, client));
      pump(client, server);
      back.join();
    } catch (IOException ended) {
      // One side has closed: leaving this block closes the other.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      sockets.remove(client);
      sockets.remove(server);
    }
  }

  private void pump(Socket from, Socket to) {
    byte[] piece = new byte[BUFFER];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
        Duration pause = delay();
        if (pause.isPositive()) {
          TimeUnit.NANOSECONDS.sleep(pause.toNanos());
        }
        awaitOpen();
        out.write(piece, 0, n);
      }
      // The end of a stream is data, too: it does not pass a cut.
      awaitOpen();
      to.shutdownOutput();
    } catch (IOException ended) {
      close(from);
      close(to);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Duration delay() {
    synchronized (change) {
      return delay;
    }
  }

  private int awaitOpen() throws IOException, InterruptedException {
    synchronized (change) {
      while (!closed && (cut || target == null)) {
        change.wait();
      }
      if (closed || target == null) {
        throw new IOException("the proxy is closed");
      }
      return target;
    }
  }
}
