/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.standalone.StackMain;
import dev.baton.standalone.jvm.AotCacheDirectory;
import dev.baton.standalone.jvm.AotMode;
import dev.baton.standalone.jvm.HeapSettings;
import dev.baton.standalone.jvm.InstallationLayout;
import dev.baton.standalone.jvm.JvmCommand;
import dev.baton.standalone.jvm.NativeLibraryCache;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trains the start-up caches of a whole stack, like the first {@code baton up}. Takes minutes. */
@Tag("full")
class AotCacheTest {
  private static final int MINUTES = 15;
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final Pattern CACHE = Pattern.compile("-[0-9a-f]{8}-[0-9a-f]{16}\\.aot$");
  private static final String[] SERVICES = {"kafka", "s3", "checkpoint-store", "orchestrator"};

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path folder;

  private record Result(int code, String said) {}

  @Test
  void shouldWriteAllCachesFromARealRun() throws Exception {
    Result trained = train(Map.of());

    assertThat(trained.code()).as(trained.said()).isZero();
    assertThat(programs()).contains(SERVICES).contains("runner").hasSize(SERVICES.length + 1);
    assertThatRunnerUsesItsCache();
    assertThat(train(Map.of()).said()).contains("up to date");
  }

  @Test
  void shouldReportARunThatFailsAndKeepNoCacheOfIt() throws Exception {
    // The first step of the training run uses programs that are in the path.
    Result broken = train(Map.of("PATH", "/nonexistent"));

    assertThat(broken.code()).as(broken.said()).isEqualTo(1);
    assertThat(broken.said()).contains("AOT cache of runners: run").contains("exit_code");
    assertThat(programs()).containsExactlyInAnyOrder(SERVICES);
  }

  private Result train(Map<String, String> environment) throws Exception {
    return run(
        List.of(
            JvmCommand.java().toString(),
            "-Dbaton.home=" + HOME,
            "-cp",
            System.getProperty("java.class.path"),
            StackMain.class.getName(),
            "aot-cache",
            "--data",
            folder.resolve("data").toString()),
        environment);
  }

  /** In this mode a JVM exits at once, with another message, if it cannot use its cache. */
  private void assertThatRunnerUsesItsCache() throws Exception {
    JvmCommand runner =
        new JvmCommand(
            new InstallationLayout(HOME).packaged("runner"),
            HeapSettings.RUNNER,
            JvmCommand.Jit.FULL,
            new AotCacheDirectory(cache().resolve("aot")),
            AotMode.USE,
            new NativeLibraryCache(cache().resolve("native")),
            Files.createDirectories(folder.resolve("temp")));
    List<String> line = runner.line(List.of());
    assertThat(line).anyMatch(word -> word.startsWith("-XX:AOTCache="));

    Result started = run(line, Map.of("JDK_JAVA_OPTIONS", "-XX:AOTMode=on"));

    assertThat(started.said()).contains("baton.runner.id").doesNotContain("AOT cache");
  }

  private Path cache() {
    return folder.resolve("cache");
  }

  /** Returns the programs that have a cache, and unfinished caches by their file names. */
  private List<String> programs() throws IOException {
    try (Stream<Path> files = Files.list(cache().resolve("aot"))) {
      return files
          .map(file -> CACHE.matcher(file.getFileName().toString()).replaceFirst(""))
          .toList();
    }
  }

  private Result run(List<String> command, Map<String, String> environment) throws Exception {
    Path output = folder.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("BATON_CACHE", cache().toString());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(MINUTES, TimeUnit.MINUTES)).as("%s has ended", command).isTrue();
      return new Result(process.exitValue(), Files.readString(output));
    } finally {
      process.destroyForcibly();
    }
  }
}
