/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Coverage-guided fuzzing of the decoders with Jazzer: {@code ./mvnw -Pfuzz -pl libs/snapshot test
 * -Dbaton.fuzz.seconds=60} (for each target). Findings are written to {@code target/fuzz}.
 */
class FuzzRun {
  private static final int SECONDS = Integer.getInteger("baton.fuzz.seconds", 60);

  @TestFactory
  Stream<DynamicTest> shouldFindNothing() throws Exception {
    return FuzzTarget.all().stream()
        .map(target -> dynamicTest(target.type().getSimpleName(), () -> fuzz(target)));
  }

  private static void fuzz(FuzzTarget target) throws Exception {
    Path directory = Path.of("target", "fuzz", target.type().getSimpleName()).toAbsolutePath();
    Path corpus = Files.createDirectories(directory.resolve("corpus"));
    for (byte[] seed : target.seeds()) {
      Files.write(corpus.resolve(Hash.of(seed).hex()), seed);
    }
    Path log = directory.resolve("log.txt");
    Process process =
        new ProcessBuilder(command(target, corpus))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      assertThat(process.waitFor(SECONDS + 120L, TimeUnit.SECONDS)).as("ends in time").isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as(() -> read(log)).isZero();
    System.out.printf("%s: %s%n", target.type().getSimpleName(), lastLine(log));
  }

  private static List<String> command(FuzzTarget target, Path corpus) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx512m");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add("com.code_intelligence.jazzer.Jazzer");
    command.add("--target_class=" + target.type().getName());
    command.add("--instrumentation_includes=dev.baton.**");
    command.add("-max_total_time=" + SECONDS);
    command.add("-max_len=65536");
    command.add("-rss_limit_mb=1500");
    command.add(corpus.toString());
    return command;
  }

  private static String read(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      return "no log: " + e;
    }
  }

  private static String lastLine(Path log) {
    return read(log).lines().reduce("", (before, line) -> line);
  }
}
