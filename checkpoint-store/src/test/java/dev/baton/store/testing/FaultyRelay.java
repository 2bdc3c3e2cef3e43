/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/**
 * Stands before an HTTP server and lets some requests fail: closes the connection before the
 * request is passed on, after it, or answers 503. The requests are passed on as they are, so their
 * signatures hold.
 */
public final class FaultyRelay implements AutoCloseable {
  private static final Pattern REQUEST = Pattern.compile("(GET|PUT|HEAD|POST|DELETE) /.*");
  private static final byte[] BUSY =
      "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
          .getBytes(ISO_8859_1);

  private final ServerSocket door;
  private final String host;
  private final int target;
  private final double share;
  private final Random random;
  private final AtomicInteger faults = new AtomicInteger();
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  /**
   * @param share of the requests that fail
   */
  public FaultyRelay(String host, int target, long seed, double share) throws IOException {
    this.host = host;
    this.target = target;
    this.share = share;
    random = new Random(seed);
    door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  public int port() {
    return door.getLocalPort();
  }

  public int faults() {
    return faults.get();
  }

  private void accept() {
    while (!door.isClosed()) {
      try {
        Socket client = door.accept();
        Socket server = new Socket(host, target);
        sockets.addAll(List.of(client, server));
        Thread.ofVirtual().start(() -> requests(client, server));
        Thread.ofVirtual().start(() -> answers(server, client));
      } catch (IOException e) {
        close(List.of()); // closed, or the server is away: the next connection shows
      }
    }
  }

  private void requests(Socket client, Socket server) {
    byte[] buffer = new byte[64 << 10];
    try (InputStream in = client.getInputStream();
        OutputStream out = server.getOutputStream()) {
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        switch (isRequest(buffer, read) ? fate() : 3) {
          case 0 -> {
            return; // before the server has heard of it
          }
          case 1 -> {
            out.write(buffer, 0, read);
            return; // the answer is lost
          }
          case 2 -> {
            client.getOutputStream().write(BUSY);
            return;
          }
          default -> out.write(buffer, 0, read);
        }
      }
    } catch (IOException e) {
      sockets.removeAll(List.of(client, server)); // one side has closed it
    } finally {
      close(List.of(client, server));
    }
  }

  private synchronized int fate() {
    if (random.nextDouble() >= share) {
      return 3;
    }
    faults.incrementAndGet();
    return random.nextInt(3);
  }

  private static boolean isRequest(byte[] bytes, int length) {
    int end = Math.min(length, 64);
    return REQUEST
        .matcher(new String(bytes, 0, end, ISO_8859_1).lines().findFirst().orElse(""))
        .matches();
  }

  private void answers(Socket server, Socket client) {
    try (InputStream in = server.getInputStream()) {
      in.transferTo(client.getOutputStream());
    } catch (IOException e) {
      sockets.removeAll(List.of(client, server));
    } finally {
      close(List.of(client, server));
    }
  }

  private static void close(List<Socket> some) {
    for (Socket socket : some) {
      try {
        socket.close();
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    }
  }

  @Override
  public void close() throws IOException {
    door.close();
    close(sockets);
  }
}
