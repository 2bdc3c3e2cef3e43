/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.problem;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.OrchestratorTestClient;
import dev.baton.orchestrator.testing.OrchestratorTestEnvironment;
import dev.baton.orchestrator.testing.OrchestratorTestResource;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sends hostile requests to a running orchestrator, and measures how long another caller waits.
 * Size and seed: {@code baton.hostile.requests}, {@code baton.seed}.
 */
@QuarkusTest
@QuarkusTestResource(OrchestratorTestResource.class)
@Timeout(600)
class HostileInputTest {
  private static final int REQUESTS = Integer.getInteger("baton.hostile.requests", 1_000);
  private static final int SENDERS = 8;
  private static final int QUIET = 200;
  private static final long LARGE = 100L << 20;

  /** What another caller may wait at least: the tests share their processors with others. */
  private static final long ALLOWED_MILLIS = 500;

  private static final int ALLOWED_RATIO = 20;

  @Inject OrchestratorTestEnvironment bed;

  /** A hostile request: where it is sent to, and what an answer may be. */
  private record Attack(String path, String type, BodyPublisher body, List<Integer> answers) {
    static Attack of(String path, String type, String body, Integer... answers) {
      return new Attack(path, type, BodyPublishers.ofString(body), List.of(answers));
    }
  }

  /** The same line again and again, up to {@link #LARGE} bytes. */
  private static final class EndlessYaml extends InputStream {
    private static final byte[] LINE = "- id: step\n".getBytes(StandardCharsets.US_ASCII);
    private long position;

    @Override
    public int read() {
      return position == LARGE ? -1 : LINE[(int) (position++ % LINE.length)];
    }

    @Override
    public int read(byte[] into, int offset, int length) {
      int count = (int) Math.min(length, LARGE - position);
      for (int i = 0; i < count; i++) {
        into[offset + i] = LINE[(int) (position++ % LINE.length)];
      }
      return count == 0 && length > 0 ? -1 : count;
    }
  }

  private static Attack attack(Random random, int number) {
    if (number % 200 == 1) {
      return new Attack(
          "/workflows",
          "application/yaml",
          BodyPublishers.ofInputStream(EndlessYaml::new),
          List.of(413));
    }
    if (number % 50 == 2) {
      return Attack.of(
          "/runs",
          "application/json",
          "{\"workflow\":\"hostile-pattern\",\"input\":{\"text\":\"%s!\"}}"
              .formatted("a".repeat(20 + random.nextInt(200))),
          422);
    }
    return switch (random.nextInt(9)) {
      case 0 -> Attack.of("/runs", "application/json", "[".repeat(1_000_000), 400);
      case 1 ->
          Attack.of(
              "/runs",
              "application/json",
              "{\"workflow\":\"hostile-pattern\",\"input\":" + "{\"a\":".repeat(150_000),
              400);
      case 2 -> Attack.of("/workflows", "application/json", "[".repeat(1_000_000), 422, 400);
      case 3 -> definition("def f: f; f");
      case 4 -> definition("[range(1e18)]");
      case 5 ->
          Attack.of(
              "/workflows/validate", "application/yaml", "a: &a [" + "*a, ".repeat(9_999), 422);
      case 6 ->
          Attack.of(
              "/workflows/validate",
              "text/vnd.graphviz",
              "digraph g {" + "subgraph {".repeat(50_000),
              422);
      case 7 -> Attack.of("/approvals/none", "application/json", garbage(random), 400, 404);
      default -> Attack.of("/workflows/validate", "application/yaml", garbage(random), 422, 400);
    };
  }

  /** It is evaluated by a runner only. */
  private static Attack definition(String expression) {
    return Attack.of(
        "/workflows/validate",
        "application/yaml",
        "name: x\nsteps:\n  - id: a\n    transform: '%s'\n".formatted(expression),
        200);
  }

  private static String garbage(Random random) {
    byte[] bytes = new byte[random.nextInt(20_000)];
    random.nextBytes(bytes);
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  @Test
  void shouldServeOthersWhileAThousandHostileRequestsArrive() throws Exception {
    long seed = Long.getLong("baton.seed", System.nanoTime());
    assertThat(
            bed.api()
                .post(
                    "/workflows",
                    "application/yaml",
                    """
                    name: hostile-pattern
                    input:
                      type: object
                      properties: {text: {type: string, pattern: '^(a+)+$'}}
                    steps:
                      - id: a
                        transform: '1'
                    """)
                .status())
        .isLessThan(300);
    String workflow = bed.api().workflow("hostile-other", false);
    String run =
        bed.api().json("/runs", "{\"workflow\":\"" + workflow + "\"}").json().get("id").textValue();
    long[] quiet = new long[QUIET];
    for (int i = 0; i < QUIET; i++) {
      quiet[i] = latency(run);
    }

    AtomicBoolean attacking = new AtomicBoolean(true);
    List<Long> during = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      List<Future<List<String>>> senders = new ArrayList<>();
      for (int sender = 0; sender < SENDERS; sender++) {
        Random random = new Random(seed + sender);
        senders.add(threads.submit(sender(http, random)));
      }
      Future<?> ended =
          threads.submit(
              () -> {
                for (Future<List<String>> sender : senders) {
                  sender.get();
                }
                attacking.set(false);
                return null;
              });
      while (attacking.get() && !ended.isDone()) {
        during.add(latency(run));
      }
      ended.get();
      for (Future<List<String>> sender : senders) {
        assertThat(sender.get()).as("unexpected answers, seed %d", seed).isEmpty();
      }
    }

    long before = median(quiet);
    long median = median(during.stream().mapToLong(Long::longValue).toArray());
    System.out.printf(
        "hostile input, seed %d: %d requests; another caller waited %.1f ms, %.1f ms in quiet time,"
            + " %d requests%n",
        seed, REQUESTS, median / 1e6, before / 1e6, during.size());
    assertThat(median)
        .isLessThan(
            Math.max(ALLOWED_RATIO * before, TimeUnit.MILLISECONDS.toNanos(ALLOWED_MILLIS)));
    assertThat(bed.api().get("/q/health/live").status()).isEqualTo(200);
  }

  private Callable<List<String>> sender(HttpClient http, Random random) {
    return () -> {
      List<String> unexpected = new ArrayList<>();
      for (int i = 0; i < REQUESTS / SENDERS; i++) {
        Attack attack = attack(random, i);
        try {
          var answer =
              http.send(
                  bed.api()
                      .request(attack.path())
                      .header("Content-Type", attack.type())
                      .POST(attack.body())
                      .build(),
                  BodyHandlers.ofString());
          if (!attack.answers().contains(answer.statusCode())) {
            unexpected.add(
                "%s %s: %d %s"
                    .formatted(
                        attack.path(),
                        attack.type(),
                        answer.statusCode(),
                        answer.body().substring(0, Math.min(300, answer.body().length()))));
          }
        } catch (IOException e) {
          // The server answers a body that is too large without reading it.
          if (!attack.answers().contains(413)) {
            unexpected.add(attack.path() + " " + attack.type() + ": " + e);
          }
        }
      }
      return unexpected;
    };
  }

  private long latency(String run) {
    long begin = System.nanoTime();
    OrchestratorTestClient.Answer answer = bed.api().get("/runs/" + run);
    assertThat(answer.status()).isEqualTo(200);
    return System.nanoTime() - begin;
  }

  private static long median(long[] values) {
    long[] sorted = values.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }
}
