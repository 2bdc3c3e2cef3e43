/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.stack;

import dev.baton.cli.command.CliException;
import dev.baton.cli.command.CliExitCode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Runs the supervisor program of the embedded stack as a separate process: {@code up} leaves one
 * running that outlives this command and its terminal.
 */
public final class StackProgram {
  private static final String MAIN = "dev.baton.standalone.StackMain";
  // Exit code and two output lines by which the program reports a stack that it has not started.
  private static final int ON_ANOTHER_PORT = 5;
  private static final String WAITING = "another start ";
  private static final String RUNNING = "already running";
  private static final Duration BOUND = Duration.ofMinutes(6);

  /** A recording stack may take six minutes to start, and four to stop. */
  private static final Duration CACHES_BOUND = Duration.ofMinutes(15);

  private static final Duration END_BOUND = Duration.ofMinutes(2);

  private final DataFolder data;
  private final Path home;
  private final Map<String, String> settings;

  private StackProgram(DataFolder data, Path home, Map<String, String> settings) {
    this.data = data;
    this.home = home;
    this.settings = settings;
  }

  /** Returns one that sets these variables in the environment of every process that it starts. */
  public StackProgram with(Map<String, String> settings) {
    return new StackProgram(data, home, Map.copyOf(settings));
  }

  /**
   * @throws CliException when the location of Baton's build is unknown
   */
  public static StackProgram of(DataFolder data) {
    String home = System.getProperty("baton.home", "");
    if (home.isEmpty()) {
      throw CliException.usage(
          "the location of Baton's programs is unknown: start this command with ./baton, which sets it");
    }
    return new StackProgram(data, Path.of(home), Map.of());
  }

  /**
   * Runs it in the foreground until it ends; returns its exit code. A signal that ends this process
   * ends it.
   */
  int foreground(List<String> options) throws IOException, InterruptedException {
    return new ForegroundProcess(builder("up", options), END_BOUND).run();
  }

  /**
   * Starts everything and waits until it is ready, also when another start is in progress.
   *
   * @param lines gets the supervisor's output
   * @throws CliException when it does not start within six minutes, or is up on another port than
   *     the options require
   */
  public void up(List<String> options, Consumer<String> lines)
      throws IOException, InterruptedException {
    run("up", options, BOUND, lines, "the stack did not start");
  }

  /** Whether this line of {@link #up} reports a stack that the program has not started. */
  static boolean isOthers(String line) {
    return line.startsWith(WAITING) || line.startsWith(RUNNING);
  }

  /**
   * Stops everything and waits until no process of it runs.
   *
   * @throws CliException when it does not stop within six minutes
   */
  public void down(Consumer<String> lines) throws IOException, InterruptedException {
    run("down", List.of(), BOUND, lines, "the stack could not be stopped");
  }

  /**
   * Creates missing caches that let the programs start faster; the stack must be down.
   *
   * @throws CliException when it does not end within fifteen minutes
   */
  public void makeCaches(Consumer<String> lines) throws IOException, InterruptedException {
    run("aot-cache", List.of(), CACHES_BOUND, lines, "the caches could not be created");
  }

  private void run(
      String verb, List<String> options, Duration bound, Consumer<String> lines, String otherwise)
      throws IOException, InterruptedException {
    Process process = builder(verb, options).redirectErrorStream(true).start();
    Thread watchdog =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    if (!process.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS)) {
                      process.destroyForcibly();
                    }
                  } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                  }
                });
    String last = "";
    try (BufferedReader out =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        last = line;
        lines.accept(line);
      }
    }
    int code = process.waitFor();
    watchdog.interrupt();
    if (code == ON_ANOTHER_PORT) {
      throw CliException.of(CliExitCode.CONFLICT, last);
    }
    if (code != 0) {
      throw CliException.of(
          CliExitCode.FAILED,
          "%s (exit code %d%s); its logs are in %s"
              .formatted(otherwise, code, last.isEmpty() ? "" : ": " + last, data.logs()));
    }
  }

  private ProcessBuilder builder(String verb, List<String> options) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx64m",
            "-Xss512k",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dbaton.home=" + home,
            "-cp",
            classpath(home.resolve("tools/standalone/stack/target"), "the embedded stack"),
            MAIN,
            verb,
            "--data",
            data.path().toString()));
    command.addAll(options);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(settings);
    builder.redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    return builder;
  }

  /** Returns the class path of a module's jar and its dependencies. */
  static String classpath(Path target, String what) throws IOException {
    List<String> jars = new ArrayList<>();
    for (Path folder : List.of(target, target.resolve("lib"))) {
      if (Files.isDirectory(folder)) {
        try (Stream<Path> files = Files.list(folder)) {
          files
              .map(Path::toString)
              .filter(f -> f.endsWith(".jar") && !f.matches(".*-(sources|javadoc|tests)\\.jar"))
              .sorted()
              .forEach(jars::add);
        }
      }
    }
    if (jars.size() < 2) {
      throw CliException.of(
          CliExitCode.FAILED,
          "%s is not built (%s): build it with ./mvnw -DskipTests package".formatted(what, target));
    }
    return String.join(File.pathSeparator, jars);
  }
}
