/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SandboxRelayTest {
  /** Sends lines in upper case until the client ends its output. */
  private static ServerSocket server() throws IOException {
    ServerSocket server = new ServerSocket(0, 10, InetAddress.getByName("127.0.0.1"));
    Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              while (!server.isClosed()) {
                try (Socket client = server.accept()) {
                  String text =
                      new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                  client
                      .getOutputStream()
                      .write(text.toUpperCase().getBytes(StandardCharsets.UTF_8));
                } catch (IOException closed) {
                  return;
                }
              }
            });
    return server;
  }

  private static String exchange(SandboxRelay relay, int port, String text) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(relay.socket()));
      channel.write(ByteBuffer.allocate(4).putInt(port).flip());
      channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
      channel.shutdownOutput();
      return new String(Channels.newInputStream(channel).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException reset) {
      return "";
    }
  }

  @Test
  void shouldConnectToItsPortsOnly() throws Exception {
    String large = "x".repeat(3_000_000);
    try (ServerSocket permitted = server();
        ServerSocket other = server();
        SandboxRelay relay =
            SandboxRelay.open(Set.of(permitted.getLocalPort()), Optional.empty())) {
      assertThat(exchange(relay, permitted.getLocalPort(), "hello")).isEqualTo("HELLO");
      assertThat(exchange(relay, permitted.getLocalPort(), large)).isEqualTo(large.toUpperCase());
      assertThat(exchange(relay, other.getLocalPort(), "hello")).isEmpty();
      assertThat(exchange(relay, 0, "hello")).isEmpty();
    }
  }

  @Test
  void shouldKeepOtherUsersOutAndRemoveItsSocket() throws Exception {
    Path socket;
    try (SandboxRelay relay = SandboxRelay.open(Set.of(1), Optional.empty())) {
      socket = relay.socket();
      assertThat(
              PosixFilePermissions.toString(
                  Files.getPosixFilePermissions(socket.resolveSibling("."))))
          .isEqualTo("rwx------");
    }
    assertThat(socket.resolveSibling(".").normalize()).doesNotExist();
  }
}
