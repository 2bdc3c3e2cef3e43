/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.transfer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Serves one object over real sockets, one request per connection, and answers the next requests
 * with the faults that are queued. Bound to the loopback interface.
 */
final class FaultyObjectServer implements AutoCloseable {
  /** Answers one request that was read completely. */
  interface Answer {
    void send(Socket socket) throws IOException, InterruptedException;
  }

  final Queue<Answer> faults = new ConcurrentLinkedQueue<>();
  final AtomicInteger requests = new AtomicInteger();
  private final ServerSocket server = new ServerSocket();
  private final byte[] object;

  FaultyObjectServer(byte[] object) throws IOException {
    this.object = object;
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    Thread.ofVirtual().start(this::accept);
  }

  String url() {
    return "http://127.0.0.1:" + server.getLocalPort() + "/object?signature=secret";
  }

  @Override
  public void close() throws IOException {
    server.close();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket socket = server.accept();
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException e) {
        if (!server.isClosed()) {
          throw new java.io.UncheckedIOException(e);
        }
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      String head = head(in);
      requests.incrementAndGet();
      in.skipNBytes(length(head));
      Answer fault = faults.poll();
      if (fault == null) {
        write(socket, "200 OK", object.length, object);
      } else {
        fault.send(socket);
      }
    } catch (SocketException e) {
      // The client has closed the connection.
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Answers with this status and body.
   *
   * @param announced length, which may differ from that of the body; below zero for none
   */
  static Answer answer(String status, int announced, byte[] body) {
    return socket -> write(socket, status, announced, body);
  }

  /** Answers with a reset of the connection after these bytes. */
  static Answer reset(String status, int announced, byte[] body) {
    return socket -> {
      write(socket, status, announced, body);
      socket.setSoLinger(true, 0);
    };
  }

  /** Sends one byte of the body after each pause. */
  static Answer drip(int announced, long pauseMillis) {
    return socket -> {
      write(socket, "206 Partial Content", announced, new byte[0]);
      for (int i = 0; i < announced; i++) {
        socket.getOutputStream().write('x');
        Thread.sleep(pauseMillis);
      }
    };
  }

  private static void write(Socket socket, String status, int announced, byte[] body)
      throws IOException {
    OutputStream out = socket.getOutputStream();
    String length = announced < 0 ? "" : "Content-Length: " + announced + "\r\n";
    String head = "HTTP/1.1 %s\r\n%sConnection: close\r\n\r\n".formatted(status, length);
    out.write(head.getBytes(ISO_8859_1));
    out.write(body);
    out.flush();
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (!head.toString().endsWith("\r\n\r\n")) {
      int c = in.read();
      if (c < 0) {
        throw new SocketException("closed");
      }
      head.append((char) c);
    }
    return head.toString();
  }

  private static int length(String head) {
    return head.lines()
        .map(line -> line.toLowerCase(Locale.ROOT))
        .filter(line -> line.startsWith("content-length:"))
        .mapToInt(line -> Integer.parseInt(line.substring("content-length:".length()).strip()))
        .findFirst()
        .orElse(0);
  }
}
