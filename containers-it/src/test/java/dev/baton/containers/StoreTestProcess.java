/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.containers;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Executes compiled tests of the checkpoint-store in a process with the store's folder, so that
 * they start the store as they do in its own build, but with given servers.
 */
final class StoreTestProcess {
  private static final Path STORE = Path.of("..", "checkpoint-store").toAbsolutePath().normalize();
  private static final int OUTPUT_TAIL = 20_000;

  private StoreTestProcess() {}

  /**
   * @param output the end of what the process printed
   */
  record Result(int exitCode, String output) {
    /** The line with the numbers of tests. */
    String summary() {
      return output
          .lines()
          .filter(line -> line.startsWith(TestClassesMain.SUMMARY))
          .findFirst()
          .orElse("no test has ended");
    }

    long passed() {
      String[] words = summary().split(" ", -1);
      return words.length > 2 && words[1].equals("passed") ? Long.parseLong(words[2]) : 0;
    }
  }

  /**
   * @param settings system properties with the addresses of the servers
   * @param folder for the output
   * @param bound after which the process is killed
   */
  static Result run(List<String> classes, Map<String, String> settings, Path folder, Duration bound)
      throws IOException, InterruptedException {
    Path output = folder.resolve("store-tests.log");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xmx768m",
            "-XX:+UseSerialGC",
            "--enable-native-access=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "-Djava.util.logging.manager=org.jboss.logmanager.LogManager",
            "-Dquarkus-internal-test.serialized-app-model.path="
                + STORE.resolve("target/quarkus/bootstrap/test-app-model.dat"),
            "-Dbaton.test.servers=given"));
    settings.forEach((name, value) -> command.add("-D" + name + "=" + value));
    command.add("-cp");
    command.add(classPath());
    command.add(TestClassesMain.class.getName());
    command.addAll(classes);
    Process process =
        new ProcessBuilder(command)
            .directory(STORE.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      if (!process.waitFor(bound.toSeconds(), TimeUnit.SECONDS)) {
        throw new IOException(
            "the store's tests have not ended within %s: %s".formatted(bound, tail(output)));
      }
      return new Result(process.exitValue(), tail(output));
    } finally {
      process.destroyForcibly();
    }
  }

  /** The store's classes in place of its jar: its tests expect folders. */
  private static String classPath() {
    List<String> own = List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1));
    return own.stream()
        .filter(entry -> !entry.contains("baton-checkpoint-store"))
        .filter(entry -> !Path.of(entry).startsWith(STORE))
        .collect(
            Collectors.joining(
                File.pathSeparator,
                STORE.resolve("target/test-classes")
                    + File.pathSeparator
                    + STORE.resolve("target/classes")
                    + File.pathSeparator,
                ""));
  }

  private static String tail(Path file) throws IOException {
    String text = Files.readString(file, UTF_8);
    return text.substring(Math.max(0, text.length() - OUTPUT_TAIL));
  }
}
