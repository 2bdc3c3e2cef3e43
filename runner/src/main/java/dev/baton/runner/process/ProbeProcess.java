/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Runs a program for the runner itself and reads its output, for example {@code git status}.
 *
 * @param environment all of its variables
 * @param fixed where programs see workspaces
 */
public record ProbeProcess(
    List<String> words, Path directory, Map<String, String> environment, WorkspaceMount fixed) {
  /** Set in the environment of every process that the probe starts. */
  private static final String MARK = "BATON_PROBE";

  private static final int MAX_COMPLAINT = 500;

  /** Reads the program's output to its end. */
  public interface Answer<T> {
    T read(InputStream out) throws IOException;
  }

  /**
   * Runs the program and waits. When this returns or throws, none of its processes is alive.
   *
   * @throws IOException when it cannot be started, fails, or exceeds the timeout
   */
  public <T> T run(Duration timeout, Answer<T> answer) throws IOException, InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    String mark = UUID.randomUUID().toString();
    Map<String, String> marked = new HashMap<>(environment);
    marked.put(MARK, mark);
    Process process = SessionProcessStarter.startOwn(words, directory, marked, fixed);
    ProcessTree tree = new ProcessTree(process.toHandle(), Set.of(MARK + "=" + mark));
    try {
      FutureTask<T> out = reading(process.getInputStream(), answer);
      FutureTask<String> complaint = reading(process.getErrorStream(), ProbeProcess::beginning);
      T read = await(out, end);
      if (!process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        throw new TimeoutException();
      }
      if (process.exitValue() != 0) {
        throw new IOException(
            "%s ended with %d: %s"
                .formatted(words.getFirst(), process.exitValue(), await(complaint, end)));
      }
      return read;
    } catch (TimeoutException e) {
      throw new IOException(
          "%s took longer than %d ms".formatted(words.getFirst(), timeout.toMillis()), e);
    } finally {
      tree.killWhateverComes();
    }
  }

  private static <T> FutureTask<T> reading(InputStream from, Answer<T> answer) {
    FutureTask<T> task =
        new FutureTask<>(
            () -> {
              try (from) {
                return answer.read(from);
              }
            });
    // Reading a pipe blocks a platform thread in any case.
    Thread.ofPlatform().daemon().name("probe").start(task);
    return task;
  }

  private <T> T await(FutureTask<T> task, long end)
      throws IOException, InterruptedException, TimeoutException {
    try {
      return task.get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw new IOException(
          "the output of %s cannot be read: %s".formatted(words.getFirst(), e.getCause()), e);
    }
  }

  private static String beginning(InputStream in) throws IOException {
    String text = new String(in.readNBytes(MAX_COMPLAINT), StandardCharsets.UTF_8).strip();
    // A program that cannot write its output does not end.
    in.transferTo(OutputStream.nullOutputStream());
    return text;
  }
}
