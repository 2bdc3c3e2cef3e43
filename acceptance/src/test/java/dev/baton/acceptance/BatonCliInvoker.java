/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs the {@code baton} command as a user does, against the shared stack. */
final class BatonCliInvoker {
  private static final int SECONDS = 60;

  private BatonCliInvoker() {}

  record Result(int code, String out, String err) {}

  static Result run(SharedStackExtension.RunningStack on, String... arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of(Path.of("..", "baton").toAbsolutePath().normalize().toString()));
    command.addAll(Arrays.asList(arguments));
    Path out = on.folder.resolve("command.out");
    Path err = on.folder.resolve("command.err");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().put("BATON_SKIP_BUILD", "1");
    builder.environment().put("BATON_SERVER", on.stack.orchestratorUrl());
    Process process = builder.start();
    process.getOutputStream().close();
    if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(command + " took over " + SECONDS + " s");
    }
    return new Result(
        process.exitValue(),
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }
}
