/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.transfer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.tls.TlsSettings;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PresignedObjectClientTest {
  /** Larger than the buffers of both ends. */
  private static final int SIZE = 24 << 20;

  private static final int BYTES_PER_MS = 8 << 10;
  private static final Duration STALLED = Duration.ofSeconds(1);
  private static final Duration PAUSE = Duration.ofMillis(1);
  private static final PresignedObjectClient OBJECTS =
      PresignedObjectClient.withStallLimit(STALLED);

  @Test
  void shouldSendForAsLongAsSomethingMoves() throws Exception {
    try (ServerSocket server = server()) {
      FutureTask<Long> received = new FutureTask<>(() -> takeSlowly(server));
      Thread.ofPlatform().start(received);
      long began = System.nanoTime();

      put(server);

      assertThat(received.get()).isEqualTo(SIZE);
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(STALLED);
    }
  }

  @Test
  void shouldEndWhenNothingMoves() throws Exception {
    try (ServerSocket server = server()) {
      CompletableFuture<Socket> silent = CompletableFuture.supplyAsync(() -> accept(server));

      assertThatThrownBy(() -> put(server))
          .isInstanceOf(IOException.class)
          .hasMessage("PUT /object: nothing could be sent for 1000 ms");

      silent.join().close();
    }
  }

  @Test
  void shouldUseAConnectionAgain() throws Exception {
    try (ServerSocket server = server()) {
      FutureTask<Integer> answered = new FutureTask<>(() -> answerOnOneConnection(server, 20));
      Thread.ofPlatform().start(answered);
      String url = "http://127.0.0.1:" + server.getLocalPort() + "/object";

      for (int i = 0; i < 10; i++) {
        OBJECTS.put(url, Map.of(), new byte[100], 50);
        byte[] into = new byte[6];
        OBJECTS.get(url, 100, 3, into, 5);
        assertThat(into).containsExactly('1', '2', '3', '4', '5', 0);
      }

      assertThat(answered.get()).isEqualTo(20);
    }
  }

  /** Never accepts a second connection. */
  private static int answerOnOneConnection(ServerSocket server, int most) throws IOException {
    int answered = 0;
    try (Socket socket = server.accept()) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      for (; answered < most; answered++) {
        boolean put = in.read() == 'P';
        skipHead(in);
        String answer =
            put
                ? "200 OK\r\nContent-Length: 0\r\n\r\n"
                : "206 OK\r\nContent-Length: 5\r\n\r\n12345";
        in.skipNBytes(put ? 50 : 0);
        socket.getOutputStream().write(("HTTP/1.1 " + answer).getBytes(ISO_8859_1));
      }
    }
    return answered;
  }

  @Test
  void shouldEndByAnInterruptOnAnyThread() throws Exception {
    try (ServerSocket server = server()) {
      String url = "http://127.0.0.1:" + server.getLocalPort() + "/object";
      for (Thread.Builder kind : List.of(Thread.ofPlatform(), Thread.ofVirtual())) {
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread waiting =
            kind.start(
                () -> {
                  try {
                    RetryBudget.ofTime(Duration.ofMinutes(1), PAUSE, PAUSE).retry(() -> range(url));
                  } catch (IOException | InterruptedException e) {
                    end.complete(e);
                  }
                });
        try (Socket asked = server.accept()) {
          skipHead(asked.getInputStream());

          waiting.interrupt();

          assertThat(end.get(60, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
          assertThat(asked.getInputStream().read()).as("closed").isEqualTo(-1);
        }
      }
    }
  }

  private static byte[] range(String url) throws IOException, InterruptedException {
    byte[] into = new byte[5];
    PresignedObjectClient.create(TlsSettings.NONE::contextOfOthers)
        .get(url, 5, 0, into, into.length);
    return into;
  }

  private static void put(ServerSocket server) throws IOException, InterruptedException {
    OBJECTS.put(
        "http://127.0.0.1:" + server.getLocalPort() + "/object?signature=secret",
        Map.of(),
        SIZE,
        () -> new ByteArrayInputStream(new byte[SIZE]));
  }

  private static ServerSocket server() throws IOException {
    ServerSocket server = new ServerSocket();
    server.setReceiveBufferSize(64 << 10);
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    return server;
  }

  private static Socket accept(ServerSocket server) {
    try {
      return server.accept();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static long takeSlowly(ServerSocket server) throws Exception {
    try (Socket socket = server.accept()) {
      InputStream in = new BufferedInputStream(socket.getInputStream());
      skipHead(in);
      long began = System.nanoTime();
      long taken = 0;
      byte[] piece = new byte[64 << 10];
      while (taken < SIZE) {
        int n = in.read(piece);
        if (n < 0) {
          return taken;
        }
        taken += n;
        long due = began + TimeUnit.MILLISECONDS.toNanos(taken / BYTES_PER_MS);
        TimeUnit.NANOSECONDS.sleep(due - System.nanoTime());
      }
      socket
          .getOutputStream()
          .write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".getBytes(ISO_8859_1));
      return taken;
    }
  }

  private static void skipHead(InputStream in) throws IOException {
    int newlines = 0;
    while (newlines < 2) {
      int c = in.read();
      newlines = c == '\n' ? newlines + 1 : c == '\r' ? newlines : 0;
    }
  }
}
