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
 * A network between a program and a server on 127.0.0.1, which may be cut and healed.
 *
 * <p>While it is cut it behaves as a network does that loses everything: connections stay open and
 * nothing comes through in either direction, new ones are taken and stay silent. What was sent
 * meanwhile arrives once it is healed, as TCP sends it again. {@link #drop} is the other kind of
 * end: all connections break at once. Thread-safe.
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

  /** Listens; connections wait until {@link #to} has said where they lead. */
  public static TcpProxy open() throws IOException {
    TcpProxy proxy = new TcpProxy(new ServerSocket(0, 128, InetAddress.getLoopbackAddress()));
    Thread.ofPlatform().daemon().name("proxy").start(proxy::accept);
    return proxy;
  }

  /** Where programs connect to, on 127.0.0.1. */
  public int port() {
    return listener.getLocalPort();
  }

  /** Leads to this port of 127.0.0.1 from now on. */
  public TcpProxy to(int port) {
    synchronized (change) {
      target = port;
      change.notifyAll();
    }
    return this;
  }

  /** From when this returns nothing comes through, but for what has been read and not written. */
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

  /** Each piece that is read is written so much later; zero for at once. */
  public void delay(Duration time) {
    synchronized (change) {
      delay = time;
    }
  }

  /** Breaks all connections; new ones are as before. */
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
      // Either side has gone: so has the other, by leaving this block.
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
      // An end is news, too: it does not come through a cut.
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
