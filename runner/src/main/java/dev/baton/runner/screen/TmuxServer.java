/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.screen;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * The tmux server of one screen, which listens in a folder of its own: never the user's, and with
 * no configuration of the user's. Thread-safe.
 *
 * @param program tmux
 * @param folder where the server's socket is
 */
record TmuxServer(Path program, Path folder) {
  /** The socket, relative to the folder: the path of a socket may have only 107 bytes. */
  static final String SOCKET = "tty";

  static final String SESSION = "baton";

  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final int MAX_COMPLAINT = 500;

  /** Returns a program of the runner's path; empty when it is not installed. */
  static Optional<Path> find(String program) {
    String path = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
    return Stream.concat(Stream.of(path.split(File.pathSeparator)), Stream.of("/usr/bin", "/bin"))
        .filter(folder -> folder.startsWith("/"))
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Returns the environment of programs that use the server. */
  static Map<String, String> environment(String term) {
    return Map.of(
        "PATH",
        System.getenv().getOrDefault("PATH", "/usr/bin:/bin"),
        "LANG",
        "C.UTF-8",
        "SHELL",
        "/bin/sh",
        "TERM",
        term);
  }

  /**
   * Runs a command of the server and returns what it prints. Of more than {@code limit} bytes the
   * last ones are kept.
   *
   * @throws IOException when it fails, or takes longer than 5 s
   */
  byte[] run(int limit, String... command) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of(program.toString(), "-u", "-S", SOCKET));
    words.addAll(List.of(command));
    ProcessBuilder builder =
        new ProcessBuilder(words)
            .directory(folder.toFile())
            .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")));
    builder.environment().clear();
    builder.environment().putAll(environment("screen"));
    Process process = builder.start();
    try {
      CompletableFuture<byte[]> out = reading(process.getInputStream(), limit);
      CompletableFuture<byte[]> complaint = reading(process.getErrorStream(), MAX_COMPLAINT);
      byte[] printed = out.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      if (!process.waitFor(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new TimeoutException();
      }
      if (process.exitValue() != 0) {
        throw new IOException(
            "tmux %s: %s"
                .formatted(
                    command[0],
                    new String(
                            complaint.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS),
                            StandardCharsets.UTF_8)
                        .strip()));
      }
      return printed;
    } catch (TimeoutException e) {
      throw new IOException(
          "tmux %s has not ended after %d s".formatted(command[0], TIMEOUT.toSeconds()), e);
    } catch (ExecutionException e) {
      throw new IOException("tmux %s: %s".formatted(command[0], e.getCause()), e);
    } finally {
      process.destroyForcibly();
    }
  }

  /** {@link #run} with text as its result. */
  String text(int limit, String... command) throws IOException, InterruptedException {
    return new String(run(limit, command), StandardCharsets.UTF_8);
  }

  private static CompletableFuture<byte[]> reading(InputStream from, int limit) {
    CompletableFuture<byte[]> read = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("tmux")
        .start(
            () -> {
              try (from) {
                read.complete(lastBytes(from, limit));
              } catch (IOException | RuntimeException | Error e) {
                read.completeExceptionally(e);
              }
            });
    return read;
  }

  private static byte[] lastBytes(InputStream from, int limit) throws IOException {
    byte[] kept = new byte[0];
    byte[] chunk = new byte[64 << 10];
    for (int n = from.read(chunk); n >= 0; n = from.read(chunk)) {
      int before = Math.min(kept.length, Math.max(0, limit - n));
      int added = Math.min(n, limit);
      byte[] next = new byte[before + added];
      System.arraycopy(kept, kept.length - before, next, 0, before);
      System.arraycopy(chunk, n - added, next, before, added);
      kept = next;
    }
    return kept;
  }
}
