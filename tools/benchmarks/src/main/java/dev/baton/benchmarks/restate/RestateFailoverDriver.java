/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.benchmarks.restate;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Kills the process of a service of Restate in the middle of a step and starts it again at once, as
 * a supervisor outside does. Each kill hits another invocation, since Restate doubles the pause
 * before each further attempt of the same one. Used by one thread, except {@link #close()}.
 */
public final class RestateFailoverDriver implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String BEGUN = "step ";
  private static final String ENDED = "end";

  /** Steps of an invocation; it is killed in the second. */
  private static final int ROUNDS = 4;

  private final RestateServer server;
  private final int stepMillis;

  // The lock of the fields below.
  private final Object lock = new Object();
  private long begunPid;
  private long begunNanos;
  private long begun;
  private long ended;
  private @Nullable IOException failure;
  private boolean closed;

  private RestateFailoverDriver(RestateServer server, int stepMillis) {
    this.server = server;
    this.stepMillis = stepMillis;
  }

  /**
   * Starts a server from npm, and its service; empty where Node or npm is missing.
   *
   * @param packages where npm's packages are kept between measurements
   * @param data an empty folder for the server
   * @param stepMillis duration of each step
   */
  public static Optional<RestateFailoverDriver> start(
      Path packages, Path data, int stepMillis, Consumer<String> progress)
      throws IOException, InterruptedException {
    Optional<NodeInstallation> tools = NodeInstallation.find();
    if (tools.isEmpty()) {
      progress.accept("restate: not measured: node or npm is missing");
      return Optional.empty();
    }
    RestateFailoverDriver driver =
        new RestateFailoverDriver(
            RestateServer.start(tools.get(), packages, data, progress), stepMillis);
    try {
      // From here on the output of the service is read.
      driver.restart();
      return Optional.of(driver);
    } catch (IOException | InterruptedException | RuntimeException e) {
      driver.close();
      throw e;
    }
  }

  /**
   * Starts an invocation, and waits until its second step has begun.
   *
   * @throws IOException when it does not within two minutes
   */
  public void begin() throws IOException, InterruptedException {
    synchronized (lock) {
      long seen = begun;
      invoke();
      await(() -> begun > seen + 1);
    }
  }

  /**
   * Sends SIGKILL to the service, starts it again, and waits for the end of the invocation.
   *
   * @return nanoseconds until the new process has begun a step
   */
  public long kill() throws IOException, InterruptedException {
    long start = System.nanoTime();
    long pid = restart();
    synchronized (lock) {
      await(() -> begunPid == pid);
      long took = begunNanos - start;
      await(() -> ended > 0);
      ended = 0;
      return took;
    }
  }

  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
    }
    server.close();
  }

  private long restart() throws IOException, InterruptedException {
    Process service = server.restartService();
    Thread.ofPlatform().daemon().name("restate-service").start(() -> read(service));
    return service.pid();
  }

  private void invoke() throws IOException, InterruptedException {
    String body = "{\"rounds\":" + ROUNDS + ",\"millis\":" + stepMillis + "}";
    HttpRequest request =
        HttpRequest.newBuilder(server.ingress().resolve("/Steps/loop/send"))
            .timeout(PATIENCE)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build();
    HttpResponse<String> answer = server.http().send(request, BodyHandlers.ofString());
    if (answer.statusCode() / 100 != 2) {
      throw new IOException("Restate answered " + answer.statusCode() + ": " + answer.body());
    }
  }

  private interface Condition {
    boolean isMet();
  }

  /** Called with the lock. */
  private void await(Condition condition) throws IOException, InterruptedException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.isMet()) {
      if (failure != null) {
        throw new IOException("the service of Restate cannot be read: " + failure, failure);
      }
      long left = end - System.nanoTime();
      if (left <= 0) {
        throw new IOException(
            "Restate has neither begun a step nor ended an invocation within " + PATIENCE);
      }
      lock.wait(left / 1_000_000 + 1);
    }
  }

  private void read(Process service) {
    try (InputStream output = service.getInputStream();
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(output, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        long now = System.nanoTime();
        if (line.startsWith(BEGUN)) {
          took(service.pid(), now);
        } else if (line.equals(ENDED)) {
          ended();
        }
      }
    } catch (IOException e) {
      synchronized (lock) {
        if (!closed && service.isAlive()) {
          failure = e;
          lock.notifyAll();
        }
      }
    }
  }

  private void ended() {
    synchronized (lock) {
      ended++;
      lock.notifyAll();
    }
  }

  private void took(long pid, long now) {
    synchronized (lock) {
      if (begunPid != pid) {
        begunPid = pid;
        begunNanos = now;
      }
      begun++;
      lock.notifyAll();
    }
  }
}
