/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Fuzzes targets with Jazzer, one after the other, and prints a line for each. {@code
 * tools/fuzzers/run} starts it. Found inputs and logs are in {@code target/fuzz/NAME}.
 */
class JazzerRun {
  private static final int SECONDS = Integer.getInteger("baton.fuzz.seconds", 60);
  private static final long SEED = Long.getLong("baton.fuzz.seed", 0);
  private static final int MAX_INPUT = 64 << 10;

  /** A start instruments some thousand classes; the last input may take its time. */
  private static final long MORE_SECONDS = 180;

  @TestFactory
  Stream<DynamicTest> shouldFindNothing() {
    return selected().map(target -> dynamicTest(target.name(), () -> fuzz(target)));
  }

  private static Stream<FuzzTarget> selected() {
    List<String> names =
        Stream.of(System.getProperty("baton.fuzz.targets", "").split("[ ,]+"))
            .filter(name -> !name.isBlank())
            .toList();
    return names.isEmpty()
        ? FuzzTargetRegistry.all().stream()
        : names.stream().map(FuzzTargetRegistry::of);
  }

  private static void fuzz(FuzzTarget target) throws Exception {
    Path directory = Path.of("target", "fuzz", target.name()).toAbsolutePath();
    Path corpus = Files.createDirectories(directory.resolve("corpus"));
    Path log = directory.resolve("log.txt");
    Process process =
        new ProcessBuilder(command(target, corpus))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      boolean ended = process.waitFor(SECONDS + MORE_SECONDS, TimeUnit.SECONDS);
      assertThat(ended).as("%s ends in time, see %s", target, log).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String text = Files.readString(log);
    System.out.println(summary(target, text, process.exitValue()));
    assertThat(process.exitValue()).as(() -> text).isZero();
  }

  private static List<String> command(FuzzTarget target, Path corpus) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx512m");
    command.add("-XX:+UseSerialGC");
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.add("-D" + JazzerEntry.TARGET + "=" + target.name());
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add("com.code_intelligence.jazzer.Jazzer");
    command.add("--target_class=" + JazzerEntry.class.getName());
    command.add("--instrumentation_includes=dev.baton.**");
    command.add("-max_total_time=" + SECONDS);
    command.add("-max_len=" + MAX_INPUT);
    command.add("-timeout=30");
    command.add("-rss_limit_mb=2000");
    command.add("-print_final_stats=1");
    if (SEED != 0) {
      command.add("-seed=" + SEED);
    }
    command.add(corpus.toString());
    command.add(target.corpus().toString());
    return command;
  }

  private static String summary(FuzzTarget target, String log, int exit) {
    long runs = number(log, "stat::number_of_executed_units: (\\d+)");
    return "%-20s %s  seed %d  %,d executions  %,d/s  coverage %d -> %d  %d new inputs  %d MB"
        .formatted(
            target.name(),
            exit == 0 ? "clean" : "FAULT",
            number(log, "Seed: (\\d+)"),
            runs,
            runs / Math.max(1, SECONDS),
            number(log, "INITED cov: (\\d+)"),
            lastNumber(log, "cov: (\\d+)"),
            number(log, "stat::new_units_added: +(\\d+)"),
            number(log, "stat::peak_rss_mb: +(\\d+)"));
  }

  private static long number(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
  }

  private static long lastNumber(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    long last = 0;
    while (matcher.find()) {
      last = Long.parseLong(matcher.group(1));
    }
    return last;
  }
}
