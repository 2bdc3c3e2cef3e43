/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server on loopback that stores the head of each request and answers with raw bytes. */
public final class RawServer implements AutoCloseable {
  /** Writes an answer; the connection is closed after it. */
  public interface Answer {
    void write(OutputStream out) throws IOException, InterruptedException;
  }

  /** Two line ends, as the bytes of an int. */
  private static final int END_OF_HEAD = 0x0d0a0d0a;

  private final ServerSocket socket;
  private final Answer answer;

  /** The request heads in Latin-1, in the order of the requests. */
  public final List<String> heads = new CopyOnWriteArrayList<>();

  public RawServer(Answer answer) throws IOException {
    this.answer = answer;
    socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().name("raw-server").start(this::accept);
  }

  /** Starts a server that always answers with this text in Latin-1. */
  public static RawServer answering(String text) throws IOException {
    return new RawServer(out -> out.write(text.getBytes(StandardCharsets.ISO_8859_1)));
  }

  public int port() {
    return socket.getLocalPort();
  }

  public String url() {
    return "http://127.0.0.1:" + port();
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket connection = socket.accept();
        Thread.ofVirtual().name("raw-connection").start(() -> serve(connection));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket connection) {
    try (connection) {
      InputStream in = new BufferedInputStream(connection.getInputStream());
      String head = head(in);
      heads.add(head);
      // Bytes that are not read before the connection is closed would reset it.
      in.skipNBytes(bodyLength(head));
      answer.write(connection.getOutputStream());
      connection.getOutputStream().flush();
    } catch (IOException | InterruptedException e) {
      heads.add("ended: " + e);
    }
  }

  private static long bodyLength(String head) {
    return head.lines()
        .map(line -> line.toLowerCase(Locale.ROOT))
        .filter(line -> line.startsWith("content-length:"))
        .mapToLong(line -> Long.parseLong(line.substring(15).strip()))
        .sum();
  }

  private static String head(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    // Only the last bytes are compared: a head may have a megabyte.
    int last = 0;
    while (last != END_OF_HEAD) {
      int c = in.read();
      if (c < 0) {
        break;
      }
      head.write(c);
      last = last << 8 | c;
    }
    return head.toString(StandardCharsets.ISO_8859_1);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
