/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.restate;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.benchmarks.measure.BurstResult;
import dev.baton.benchmarks.measure.DurationDistribution;
import dev.baton.benchmarks.measure.ProcessFootprint;
import dev.baton.benchmarks.measure.ProcfsUsageReader;
import dev.baton.benchmarks.measure.SequentialRunResult;
import dev.baton.benchmarks.steps.MeasuredStepKind;
import dev.baton.benchmarks.steps.StepsSystem;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Restate with default settings: one node, its log flushed before it responds. */
public final class RestateSystem implements StepsSystem {
  private static final Duration PATIENCE = Duration.ofSeconds(120);
  private static final String FLUSHES = "restate_rocksdb_wal_synced_total";

  private final RestateServer server;

  private RestateSystem(RestateServer server) {
    this.server = server;
  }

  /**
   * Starts a server from npm; empty where Node or npm is missing.
   *
   * @param packages where npm's packages are kept between measurements
   * @param data an empty folder for the server
   */
  public static Optional<RestateSystem> start(Path packages, Path data, Consumer<String> progress)
      throws IOException, InterruptedException {
    Optional<NodeInstallation> tools = NodeInstallation.find();
    if (tools.isEmpty()) {
      progress.accept("restate: not measured: node or npm is missing");
      return Optional.empty();
    }
    return Optional.of(
        new RestateSystem(RestateServer.start(tools.get(), packages, data, progress)));
  }

  @Override
  public String name() {
    return "restate";
  }

  @Override
  public SequentialRunResult sequential(MeasuredStepKind kind, int steps)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    HttpResponse<byte[]> answer = await(call(kind, steps, true));
    double millis = (System.nanoTime() - start) / 1e6;
    JsonNode took = read(answer).path("took");
    if (took.size() != steps) {
      throw new IOException("a run of " + steps + " steps reported " + took.size());
    }
    // As with Baton: from the end of each step to the end of the next.
    long[] times = new long[steps - 1];
    for (int i = 1; i < steps; i++) {
      times[i - 1] = took.get(i).asLong();
    }
    return new SequentialRunResult(DurationDistribution.of(times), millis);
  }

  @Override
  public BurstResult burst(MeasuredStepKind kind, int runs, int steps)
      throws IOException, InterruptedException {
    List<CompletableFuture<Long>> answers = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; i < runs; i++) {
      answers.add(
          call(kind, steps, false)
              .thenApply(
                  answer -> {
                    long now = System.nanoTime();
                    if (answer.statusCode() != 200) {
                      throw new IllegalStateException("answered " + answer.statusCode());
                    }
                    return now;
                  }));
    }
    long[] took = new long[runs];
    long last = start;
    for (int i = 0; i < runs; i++) {
      long end = await(answers.get(i));
      took[i] = (end - start) / 1000;
      last = Math.max(last, end);
    }
    return new BurstResult(
        DurationDistribution.of(took), (double) runs * steps / ((last - start) / 1e9), 0);
  }

  @Override
  public ProcessFootprint footprint() {
    return ProcfsUsageReader.of(server.processes());
  }

  @Override
  public OptionalLong flushes() throws IOException, InterruptedException {
    HttpResponse<String> metrics =
        server
            .http()
            .send(
                HttpRequest.newBuilder(server.metrics()).timeout(PATIENCE).build(),
                BodyHandlers.ofString());
    return OptionalLong.of(
        metrics
            .body()
            .lines()
            .filter(line -> line.startsWith(FLUSHES))
            .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
            .sum());
  }

  @Override
  public void close() {
    server.close();
  }

  private CompletableFuture<HttpResponse<byte[]>> call(
      MeasuredStepKind kind, int steps, boolean timings) {
    byte[] body =
        "{\"steps\":%d,\"wait\":%d,\"timings\":%b,\"input\":{\"n\":1}}"
            .formatted(steps, kind.waitMillis(), timings)
            .getBytes(StandardCharsets.UTF_8);
    HttpRequest request =
        HttpRequest.newBuilder(server.ingress().resolve("/Steps/run"))
            .timeout(PATIENCE)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(body))
            .build();
    return server.http().sendAsync(request, BodyHandlers.ofByteArray());
  }

  private static <T> T await(CompletableFuture<T> answer) throws IOException, InterruptedException {
    try {
      return answer.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("Restate did not answer: " + e, e);
    }
  }

  private static JsonNode read(HttpResponse<byte[]> answer) throws IOException {
    String body = new String(answer.body(), StandardCharsets.UTF_8);
    if (answer.statusCode() != 200) {
      throw new IOException("Restate answered " + answer.statusCode() + ": " + body);
    }
    return Json.tree(answer.body());
  }
}
