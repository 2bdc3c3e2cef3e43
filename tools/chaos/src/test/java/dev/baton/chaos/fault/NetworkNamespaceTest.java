/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.chaos.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.baton.chaos.fault.NetworkNamespace.Direction;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class NetworkNamespaceTest {
  private static final long SECONDS = 120;
  private static final int SHORT_MS = 500;

  /** Longer than TCP waits before it retransmits after such a short partition. */
  private static final int LONG_MS = 60_000;

  @Test
  void shouldChangeNothingInTheNetworkOfTheMachine() throws Exception {
    assertThat(NetworkNamespace.find().missing()).isNotEmpty();
  }

  @Test
  void shouldKeepPacketsFromAPortUntilItIsHealed() throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                "unshare", "--net", "--", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"));
    assumeTrue(succeeds(command, "true"), "cannot create a separate network here");

    assertThat(
            succeeds(
                command,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Inside.class.getName()))
        .isTrue();
  }

  private static boolean succeeds(List<String> prefix, String... more)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of(more));
    ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
    builder
        .environment()
        .put(
            NetworkNamespace.OUTER,
            Files.readSymbolicLink(Path.of("/proc/self/ns/net")).toString());
    Process process = builder.start();
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      return false;
    }
    return process.exitValue() == 0;
  }

  /** The part of the test that runs in a separate network. */
  static final class Inside {
    private Inside() {}

    public static void main(String... args) throws Exception {
      NetworkNamespace network = NetworkNamespace.find();
      assertThat(network.missing()).isEmpty();
      try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress());
          Socket client = connect(server);
          Socket other = server.accept()) {
        client.setSoTimeout(SHORT_MS);
        other.setSoTimeout(SHORT_MS);

        network.cut(1, server.getLocalPort(), Direction.TO);
        client.getOutputStream().write(1);
        assertThatThrownBy(() -> other.getInputStream().read())
            .isInstanceOf(SocketTimeoutException.class);
        assertThatThrownBy(() -> connect(server)).isInstanceOf(SocketException.class);
        network.heal(1, Direction.TO);
        other.setSoTimeout(LONG_MS);
        assertThat(other.getInputStream().read()).isOne();

        network.cut(2, server.getLocalPort(), Direction.FROM);
        other.getOutputStream().write(2);
        assertThatThrownBy(() -> client.getInputStream().read())
            .isInstanceOf(SocketTimeoutException.class);
        assertThatThrownBy(() -> connect(server)).isInstanceOf(SocketTimeoutException.class);
        network.heal(2, Direction.FROM);
        client.setSoTimeout(LONG_MS);
        assertThat(client.getInputStream().read()).isEqualTo(2);
      }
    }

    private static Socket connect(ServerSocket server) throws IOException {
      Socket socket = new Socket();
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()), SHORT_MS);
      return socket;
    }
  }
}
