/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli;

import dev.baton.cli.terminal.Terminal;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Loads and links the classes of a typical call, to train the AOT cache that speeds up the start of
 * later calls: {@code ./baton} runs it once with {@code -XX:AOTCacheOutput}. Sends a request to
 * itself over a socket and returns a fixed response.
 */
final class CliAotTrainer {
  static final String ARGUMENT = "--train";

  private static final int CALLS = 3;
  private static final String BODY =
      """
      {"runs":[{"id":"01jd0000000000000000abcdef","display_id":"abcdef","workflow":"hello",\
      "status":"completed","epoch":1,"current_steps":[],"labels":{},"completed_steps":3,\
      "created_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T00:00:09Z"}]}""";

  private CliAotTrainer() {}

  static void run() {
    Terminal nowhere =
        new Terminal(new ByteArrayInputStream(new byte[0]), sink(), sink(), false, false);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread answers = Thread.ofPlatform().daemon().start(() -> answer(server));
      String url = "http://127.0.0.1:" + server.getLocalPort();
      CliMain.run(nowhere, Map.of(), "status", "--server", url);
      CliMain.run(nowhere, Map.of(), "status", "--server", url, "-o", "json");
      CliMain.run(nowhere, Map.of(), "status", "01jd0000000000000000abcdef", "--server", url);
      CliMain.run(nowhere, Map.of(), "version");
      CliMain.run(nowhere, Map.of(), "--help");
      answers.join(1000);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void answer(ServerSocket server) {
    byte[] body = BODY.getBytes(StandardCharsets.UTF_8);
    String head =
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: "
            + body.length
            + "\r\n\r\n";
    try {
      for (int call = 0; call < CALLS; call++) {
        try (Socket socket = server.accept()) {
          // A request without a body fits in one read; its content does not matter here.
          if (socket.getInputStream().read(new byte[8192]) > 0) {
            socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(body);
          }
        }
      }
    } catch (IOException e) {
      System.err.println("training: " + e);
    }
  }

  private static PrintStream sink() {
    return new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
  }
}
