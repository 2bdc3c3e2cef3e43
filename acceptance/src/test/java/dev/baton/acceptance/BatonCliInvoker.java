/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import java.io.IOException;
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

  /**
   * Returns the program of commands that need no JVM: {@code ./baton}, or the native executable
   * that {@code -Dbaton.cli.executable=PATH} names.
   */
  static String program() {
    String executable = System.getProperty("baton.cli.executable", "");
    Path program = executable.isEmpty() ? Path.of("..", "baton") : Path.of(executable);
    return program.toAbsolutePath().normalize().toString();
  }

  static Result run(SharedStackExtension.RunningStack on, String... arguments)
      throws IOException, InterruptedException {
    Path out = on.folder.resolve("command.out");
    int code = run(on, out, SECONDS, arguments);
    return new Result(code, Files.readString(out), Files.readString(errors(on)));
  }

  /**
   * Runs a command whose output may be larger than memory.
   *
   * @param out gets its standard output
   * @param seconds after which it must have ended
   * @return its exit code
   */
  static int run(SharedStackExtension.RunningStack on, Path out, int seconds, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(program()));
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(errors(on).toFile());
    builder.environment().put("BATON_SKIP_BUILD", "1");
    builder.environment().put("BATON_SERVER", on.stack.orchestratorUrl());
    builder.environment().put("BATON_API_KEY", on.stack.apiKey());
    Process process = builder.start();
    process.getOutputStream().close();
    if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError(command + " took over " + seconds + " s");
    }
    return process.exitValue();
  }

  private static Path errors(SharedStackExtension.RunningStack on) {
    return on.folder.resolve("command.err");
  }
}
