/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.capture;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.benchmarks.measure.ProcessUsageMeter;
import dev.baton.benchmarks.measure.ResourceUsage;
import dev.baton.protocol.json.Json;
import dev.baton.standalone.jvm.AotCacheDirectory;
import dev.baton.standalone.jvm.AotMode;
import dev.baton.standalone.jvm.HeapSettings;
import dev.baton.standalone.jvm.InstallationLayout;
import dev.baton.standalone.jvm.JvmCommand;
import dev.baton.standalone.jvm.JvmProgram;
import dev.baton.standalone.jvm.NativeLibraryCache;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Starts a {@link CaptureMain}, sends requests to it and measures it. For one thread, except {@link
 * #close}.
 */
final class CaptureProcess implements AutoCloseable {
  private static final long STOP_SECONDS = 10;
  private static final Duration LIMIT = Duration.ofMinutes(30);

  private final Process process;
  private final Writer requests;
  private final BufferedReader answers;
  private final Path log;

  /**
   * @param process that responds like a {@link CaptureMain}
   * @param log its standard error
   */
  CaptureProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
    requests = process.outputWriter(StandardCharsets.UTF_8);
    answers =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * Starts it like a runner: the same jars, the same flags.
   *
   * @param folder a separate folder
   * @param cache where native libraries are kept
   */
  static CaptureProcess start(String storeUrl, Path folder, Path cache) throws IOException {
    Files.createDirectories(folder);
    List<Path> jars = new ArrayList<>();
    jars.add(ownPlace());
    JvmProgram runner = InstallationLayout.find().packaged("runner");
    runner.jars().stream()
        .filter(jar -> !jar.getFileName().toString().equals("quarkus-run.jar"))
        .forEach(jars::add);
    JvmProgram program =
        new JvmProgram(
            "capture", jars, new JvmProgram.Start.MainClass(CaptureMain.class.getName()));
    JvmCommand command =
        new JvmCommand(
            program,
            HeapSettings.RUNNER,
            JvmCommand.Jit.FULL,
            new AotCacheDirectory(cache.resolve("aot")),
            AotMode.OFF,
            new NativeLibraryCache(cache.resolve("native")),
            folder);
    Path log = folder.resolve("log");
    ProcessBuilder builder =
        new ProcessBuilder(command.line(List.of(storeUrl)))
            .directory(folder.toFile())
            .redirectError(log.toFile());
    builder.environment().put("MALLOC_ARENA_MAX", "2");
    return new CaptureProcess(builder.start(), log);
  }

  /**
   * Sends a request, waits at most half an hour for the response, and measures only this process
   * meanwhile.
   *
   * @throws IOException when the request fails
   */
  ResourceUsage ask(ObjectNode request) throws IOException, InterruptedException {
    ProcessUsageMeter clock = ProcessUsageMeter.start(process.pid());
    requests.write(request + "\n");
    requests.flush();
    String answer = answer();
    // A JVM that exits may print the reason where responses are expected.
    if (!answer.startsWith("{")) {
      throw new IOException(
          "the capturing process has ended: " + answer + "\n" + Files.readString(log));
    }
    ResourceUsage usage = clock.stop();
    JsonNode read = Json.tree(answer.getBytes(StandardCharsets.UTF_8));
    if (!read.path("ok").asBoolean()) {
      throw new IOException(
          request.path("do").asText() + ": " + read.path("error").asText() + "; see " + log);
    }
    return usage;
  }

  /**
   * Returns a line, or an empty text at the end; reads on a separate thread, since a read cannot be
   * interrupted.
   */
  private String answer() throws IOException, InterruptedException {
    FutureTask<String> line =
        new FutureTask<>(() -> Objects.requireNonNullElse(answers.readLine(), ""));
    Thread.ofPlatform().daemon().name("capture-answer").start(line);
    try {
      return line.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
    } catch (TimeoutException e) {
      throw new IOException(
          "the capturing process took more than " + LIMIT.toMinutes() + " min; see " + log, e);
    }
  }

  long pid() {
    return process.pid();
  }

  @Override
  public void close() throws IOException {
    requests.close();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private static Path ownPlace() throws IOException {
    try {
      return Path.of(
          CaptureProcess.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IOException("the location of this program is unknown", e);
    }
  }
}
