/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli;

import dev.baton.cli.terminal.Terminal;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Runs the command in this JVM and captures its output. */
public record InProcessCli(Map<String, String> environment, String stdin) {

  /** Result of a call. */
  public record Result(int code, String out, String err) {}

  public static InProcessCli against(StubServer server) {
    return new InProcessCli(
        Map.of("BATON_SERVER", server.url(), "HOME", "/nonexistent", "USER", "ann"), "");
  }

  public static InProcessCli alone() {
    return new InProcessCli(Map.of("HOME", "/nonexistent"), "");
  }

  public Result run(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Terminal terminal =
        new Terminal(
            new ByteArrayInputStream(stdin.getBytes(StandardCharsets.UTF_8)),
            new PrintStream(out, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false);
    int code = CliMain.run(terminal, environment, args);
    return new Result(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
