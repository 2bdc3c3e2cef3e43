/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests the proxy that the partition tests depend on. */
class TcpProxyTest {
  private static final int SILENCE_MS = 300;
  private static final int PATIENCE_MS = 10_000;

  /** Replies to each byte with the next one. */
  private static ServerSocket echo() throws IOException {
    ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              while (!server.isClosed()) {
                try {
                  Socket socket = server.accept();
                  Thread.ofVirtual().start(() -> answer(socket));
                } catch (IOException closed) {
                  return;
                }
              }
            });
    return server;
  }

  private static void answer(Socket socket) {
    try (socket) {
      for (int b = socket.getInputStream().read(); b >= 0; b = socket.getInputStream().read()) {
        socket.getOutputStream().write(b + 1);
      }
    } catch (IOException gone) {
      // The test checks its own end of the connection.
      return;
    }
  }

  private static Socket connect(TcpProxy proxy) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), proxy.port());
    socket.setSoTimeout(PATIENCE_MS);
    return socket;
  }

  @Test
  void shouldHoldEverythingWhileItIsCutAndDeliverItAfterwards() throws Exception {
    try (ServerSocket server = echo();
        TcpProxy proxy = TcpProxy.open().to(server.getLocalPort());
        Socket before = connect(proxy)) {
      before.getOutputStream().write(1);
      assertThat(before.getInputStream().read()).isEqualTo(2);

      proxy.cut();
      before.getOutputStream().write(5);
      before.setSoTimeout(SILENCE_MS);
      assertThatThrownBy(() -> before.getInputStream().read())
          .isInstanceOf(SocketTimeoutException.class);
      try (Socket meanwhile = connect(proxy)) {
        meanwhile.getOutputStream().write(7);
        proxy.heal();
        assertThat(meanwhile.getInputStream().read()).isEqualTo(8);
      }

      before.setSoTimeout(PATIENCE_MS);
      assertThat(before.getInputStream().read()).isEqualTo(6);
    }
  }

  @Test
  void shouldDelayAndDrop() throws Exception {
    try (ServerSocket server = echo();
        TcpProxy proxy = TcpProxy.open().to(server.getLocalPort());
        Socket socket = connect(proxy)) {
      proxy.delay(Duration.ofMillis(100));
      long began = System.nanoTime();
      socket.getOutputStream().write(1);
      assertThat(socket.getInputStream().read()).isEqualTo(2);
      assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(200));

      proxy.drop();

      assertThatThrownBy(
              () -> {
                if (socket.getInputStream().read() < 0) {
                  throw new IOException("ended");
                }
              })
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(SocketTimeoutException.class);
    }
  }
}
