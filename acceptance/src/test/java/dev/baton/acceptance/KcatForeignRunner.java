/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Acts as a runner with nothing but Debian's {@code kcat}, which is librdkafka on the command line:
 * its partitioner hashes keys with CRC32. Each record is a process of its own.
 */
final class KcatForeignRunner {
  private static final int PATIENCE_S = 30;

  private final String bootstrap;
  private final String run;

  /** Skips the test where the program is not installed. */
  KcatForeignRunner(String bootstrap, String run) {
    boolean installed =
        Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "kcat")));
    assumeTrue(installed, "kcat is not installed: apt-get install kcat");
    this.bootstrap = bootstrap;
    this.run = run;
  }

  void trace(String id, String event, String data) throws IOException, InterruptedException {
    send("baton.trace", List.of(), id, event, data);
  }

  /** Names the partition, unlike {@link #trace}. */
  void traceTo(int partition, String id, String event, String data)
      throws IOException, InterruptedException {
    send("baton.trace", List.of("-p", Integer.toString(partition)), id, event, data);
  }

  void heartbeat(String state, long timeoutMs) throws IOException, InterruptedException {
    String data =
        "{\"run\":\"%s\",\"epoch\":1,\"runner\":\"kcat\",\"state\":\"%s\",\"interval_ms\":500,\"timeout_ms\":%d}"
            .formatted(run, state, timeoutMs);
    send("baton.heartbeats", List.of(), UUID.randomUUID().toString(), "heartbeat", data);
  }

  private void send(String topic, List<String> more, String id, String event, String data)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of("kcat", "-P", "-b", bootstrap, "-t", topic, "-k", run));
    command.addAll(List.of("-X", "acks=all"));
    command.addAll(more);
    List.of(
            "ce_specversion=1.0",
            "ce_id=" + id,
            "ce_source=/foreign/kcat",
            "ce_type=dev.baton." + event,
            "ce_subject=" + run,
            "ce_time=" + Instant.now(),
            "content-type=application/json")
        .forEach(header -> command.addAll(List.of("-H", header)));
    execute(command, data);
  }

  /** Returns the ids of the run's events in one partition of the trace, in the log's order. */
  List<String> log(int partition) throws IOException, InterruptedException {
    String read =
        execute(
            List.of(
                "kcat",
                "-C",
                "-e",
                "-q",
                "-b",
                bootstrap,
                "-t",
                "baton.trace",
                "-p",
                Integer.toString(partition),
                "-o",
                "beginning",
                "-f",
                "%k %h\\n"),
            "");
    return read.lines()
        .filter(line -> line.startsWith(run + " "))
        .flatMap(line -> Arrays.stream(line.substring(run.length() + 1).split(",", -1)))
        .filter(header -> header.startsWith("ce_id="))
        .map(header -> header.substring("ce_id=".length()))
        .toList();
  }

  private static String execute(List<String> command, String input)
      throws IOException, InterruptedException {
    Path out = Files.createTempFile("baton-kcat", ".out");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(out.toFile())
              .start();
      try (var stdin = process.getOutputStream()) {
        stdin.write(input.getBytes(StandardCharsets.UTF_8));
      }
      if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new AssertionError(command + " does not end");
      }
      String said = Files.readString(out);
      if (process.exitValue() != 0) {
        throw new AssertionError(command + ": " + said);
      }
      return said;
    } finally {
      Files.deleteIfExists(out);
    }
  }
}
