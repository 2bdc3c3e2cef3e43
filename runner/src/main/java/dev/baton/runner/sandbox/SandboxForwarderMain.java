/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.util.concurrent.Semaphore;

/**
 * The program inside a sandbox without a network that listens on ports of its loopback interface
 * and passes their connections to the {@link SandboxRelay} of the runner. Uses classes of the JDK
 * only.
 */
public final class SandboxForwarderMain {
  /** Connections at the same time; a further one waits. */
  static final int MAX_CONNECTIONS = 256;

  private static final int BUFFER = 16 << 10;

  private SandboxForwarderMain() {}

  /**
   * Listens, prints one line when it does, and serves until it is killed.
   *
   * @param args the path of the relay's socket, and the ports
   */
  public static void main(String[] args) throws IOException {
    UnixDomainSocketAddress relay = UnixDomainSocketAddress.of(args[0]);
    Semaphore free = new Semaphore(MAX_CONNECTIONS);
    for (int i = 1; i < args.length; i++) {
      int port = Integer.parseInt(args[i]);
      ServerSocket server = new ServerSocket(port, 64, InetAddress.getByName("127.0.0.1"));
      Thread.ofPlatform().name("port " + port).start(() -> serve(server, port, relay, free));
    }
    System.out.println("ready");
    System.out.close();
  }

  private static void serve(
      ServerSocket server, int port, UnixDomainSocketAddress relay, Semaphore free) {
    while (true) {
      try {
        free.acquire();
        Socket client = server.accept();
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    forward(client, port, relay);
                  } finally {
                    free.release();
                  }
                });
      } catch (IOException | InterruptedException e) {
        System.err.println("sandbox: port " + port + " is closed: " + e.getMessage());
        return;
      }
    }
  }

  private static void forward(Socket client, int port, UnixDomainSocketAddress address) {
    try (client;
        SocketChannel relay = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      relay.connect(address);
      relay.write(ByteBuffer.allocate(Integer.BYTES).putInt(port).flip());
      Thread back =
          Thread.ofVirtual()
              .start(
                  () ->
                      copy(Channels.newInputStream(relay), output(client), client::shutdownOutput));
      copy(client.getInputStream(), Channels.newOutputStream(relay), relay::shutdownOutput);
      back.join();
    } catch (IOException e) {
      System.err.println("sandbox: a connection to port " + port + " failed: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends one direction of a connection. */
  interface HalfClose {
    void close() throws IOException;
  }

  private static OutputStream output(Socket socket) {
    try {
      return socket.getOutputStream();
    } catch (IOException e) {
      return OutputStream.nullOutputStream();
    }
  }

  /** Copies until the end, and passes the end on; a broken connection ends both directions. */
  static void copy(InputStream from, OutputStream to, HalfClose end) {
    byte[] bytes = new byte[BUFFER];
    try {
      for (int n = from.read(bytes); n >= 0; n = from.read(bytes)) {
        to.write(bytes, 0, n);
        to.flush();
      }
    } catch (IOException broken) {
      // The other side sees the end below.
    }
    try {
      end.close();
    } catch (IOException closed) {
      // Both sides are closed.
    }
  }
}
