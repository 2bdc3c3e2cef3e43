/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** An isolated runner in its own process, which a test may kill. */
public final class TestRunnerProcess implements AutoCloseable {
  private static final AtomicInteger NUMBER = new AtomicInteger();

  public final String id = "process-" + NUMBER.incrementAndGet();
  public final Process process;
  private final Path log;

  public TestRunnerProcess(RunnerTestEnvironment services, TestRun run, Path data)
      throws IOException {
    Files.createDirectories(data);
    log = data.resolve(id + ".log");
    ProcessBuilder builder =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-Xmx256m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                RunnerProgram.class.getName())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    Map<String, String> environment = builder.environment();
    environment.put("BATON_RUNNER_ID", id);
    environment.put("BATON_RUNNER_MODE", "isolated");
    environment.put("BATON_RUN_ID", run.id);
    environment.put("BATON_EPOCH", Integer.toString(run.epoch()));
    environment.put("BATON_LEASE", "lease-" + run.epoch());
    environment.put("BATON_ORCHESTRATOR_URL", services.url());
    environment.put("BATON_STORE_URL", services.url());
    environment.put("KAFKA_BOOTSTRAP_SERVERS", services.kafka());
    environment.put("BATON_DATA", data.toString());
    environment.put("BATON_CHECKPOINT_PATIENCE", "1s");
    process = builder.start();
  }

  public int awaitExit() throws InterruptedException, IOException {
    if (!process.waitFor(120, TimeUnit.SECONDS)) {
      throw new AssertionError(id + " does not end: " + Files.readString(log));
    }
    return process.exitValue();
  }

  public void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  public String log() throws IOException {
    return Files.readString(log);
  }

  /**
   * Returns the end of the process's log and the stacks of its threads, virtual ones included, for
   * the message of a test that has waited for it in vain.
   */
  public String diagnosis() throws IOException, InterruptedException {
    String written = Files.readString(log);
    StringBuilder text = new StringBuilder(id).append(process.isAlive() ? "" : " has ended");
    text.append(", log: ").append(written.substring(Math.max(0, written.length() - 4_000)));
    Path stacks = log.resolveSibling(id + ".stacks");
    Process dump =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                Long.toString(process.pid()),
                "Thread.dump_to_file",
                "-overwrite",
                stacks.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    if (dump.waitFor(10, TimeUnit.SECONDS) && Files.exists(stacks)) {
      text.append("\nstacks: ").append(Files.readString(stacks));
    }
    return text.toString();
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }
}
