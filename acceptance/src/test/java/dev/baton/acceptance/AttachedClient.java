/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@code baton attach} in a process of its own, whose keys and output are pipes. */
record AttachedClient(Process process, Path out) implements AutoCloseable {
  private static final Duration END = Duration.ofSeconds(120);
  private static final int CONFLICT = 5;

  /** Kills the runner of an agent's first process, and waits for the second one. */
  static void replaceRunner(SharedStackExtension.RunningStack on, String run)
      throws IOException, InterruptedException {
    assertThat(RunnerProcessHandle.of(run).orElseThrow().kill(true)).isTrue();
    Await.until(
        "a replacement has started",
        END,
        () -> on.api.events(run, "agent_session_created").size() == 2);
  }

  /** Attaches as soon as the step is in progress. */
  static AttachedClient attached(
      SharedStackExtension.RunningStack on, String run, String... options) throws Exception {
    long end = System.nanoTime() + END.toNanos();
    while (true) {
      AttachedClient client = start(on, run, options);
      if (client.isShown()) {
        return client;
      }
      assertThat(client.code()).as(client.text()).isEqualTo(CONFLICT);
      assertThat(System.nanoTime()).as("the step is not in progress").isLessThan(end);
    }
  }

  private static AttachedClient start(
      SharedStackExtension.RunningStack on, String run, String... options) throws IOException {
    List<String> command = new ArrayList<>(List.of(BatonCliInvoker.program(), "attach"));
    command.add(run);
    command.addAll(List.of(options));
    Path out = Files.createTempFile(on.folder, "attached", ".out");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile());
    builder.environment().put("BATON_SKIP_BUILD", "1");
    builder.environment().put("BATON_SERVER", on.stack.orchestratorUrl());
    builder.environment().put("BATON_API_KEY", on.stack.apiKey());
    return new AttachedClient(builder.start(), out);
  }

  String text() throws IOException {
    return Files.readString(out, StandardCharsets.UTF_8);
  }

  /** Waits until it shows a screen; false when it was refused. */
  boolean isShown() {
    Await.until(
        "it shows a screen or ends", END, () -> !process.isAlive() || text().contains("\u001b["));
    return process.isAlive();
  }

  int code() {
    return process.exitValue();
  }

  void awaitText(String wanted) {
    Await.until("the screen shows " + wanted, END, () -> text().contains(wanted));
  }

  void type(String keys) throws IOException {
    process.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
    process.getOutputStream().flush();
  }

  int detach() throws Exception {
    process.getOutputStream().close();
    return end();
  }

  int end() throws Exception {
    assertThat(process.waitFor(END.toSeconds(), TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
