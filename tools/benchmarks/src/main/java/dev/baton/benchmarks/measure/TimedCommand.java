/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.measure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Runs a program once and measures it. One at a time: CPU time is what the kernel adds to this
 * process's ended children meanwhile.
 *
 * @param line program and arguments
 * @param environment additional variables
 * @param folder its working folder
 * @param log gets its output, and must not be used by another command at the same time
 */
public record TimedCommand(
    List<String> line, Map<String, String> environment, Path folder, Path log) {
  private static final Path SELF = Path.of("/proc/self/stat");
  private static final Duration LIMIT = Duration.ofMinutes(30);
  private static final int SHOWN = 2_000;

  public TimedCommand {
    line = List.copyOf(line);
    environment = Map.copyOf(environment);
  }

  /**
   * Waits for its end, at most half an hour. An interrupt kills it.
   *
   * @throws IOException with the end of its output when its exit code is not 0
   */
  public ResourceUsage run() throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(line)
            .directory(folder.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.environment().putAll(environment);
    double before = endedCpu();
    long start = System.nanoTime();
    Process process = builder.start();
    try (PeakMemoryWatcher memory = new PeakMemoryWatcher(process.pid())) {
      boolean ended = process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS);
      double wall = (System.nanoTime() - start) / 1e9;
      if (!ended) {
        throw new IOException(line.getFirst() + " took more than " + LIMIT.toMinutes() + " min");
      }
      if (process.exitValue() != 0) {
        throw new IOException(
            String.join(" ", line) + " ended with " + process.exitValue() + ":\n" + shown());
      }
      return new ResourceUsage(wall, endedCpu() - before, memory.bytes());
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  /** {@link #run()} that returns the output. */
  public String output() throws IOException, InterruptedException {
    run();
    return Files.readString(log, StandardCharsets.ISO_8859_1);
  }

  private String shown() throws IOException {
    String said = Files.readString(log, StandardCharsets.ISO_8859_1).strip();
    return said.substring(Math.max(0, said.length() - SHOWN));
  }

  private static double endedCpu() throws IOException {
    String[] fields = ProcfsUsageReader.fields(Files.readString(SELF));
    return ProcfsUsageReader.micros(
            fields, ProcfsUsageReader.ENDED_USER_TIME, ProcfsUsageReader.ENDED_SYSTEM_TIME)
        / 1e6;
  }
}
