/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A TCP proxy between a client and its server that can drop all bytes without closing. */
public final class TcpRelay implements AutoCloseable {
  private final ServerSocket door;
  private final String host;
  private final int target;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private volatile boolean swallowing;

  public TcpRelay(String host, int target) throws IOException {
    this.host = host;
    this.target = target;
    door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  public int port() {
    return door.getLocalPort();
  }

  /** Whether to drop the bytes of both sides. */
  public void swallow(boolean on) {
    swallowing = on;
  }

  private void accept() {
    try {
      while (true) {
        Socket client = door.accept();
        Socket server = new Socket(host, target);
        sockets.addAll(List.of(client, server));
        Thread.ofVirtual().start(() -> pump(client, server));
        Thread.ofVirtual().start(() -> pump(server, client));
      }
    } catch (IOException e) {
      swallowing = true; // closed
    }
  }

  private void pump(Socket from, Socket to) {
    byte[] buffer = new byte[8192];
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (!swallowing) {
          out.write(buffer, 0, read);
        }
      }
    } catch (IOException e) {
      sockets.removeAll(List.of(from, to)); // one side has closed it
    }
  }

  @Override
  public void close() throws IOException {
    door.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
