/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.UnicodeSanitizer;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.steps.StepFunction;
import dev.baton.runner.testkit.RawServer;
import dev.baton.runner.testkit.RunnerTestEnvironment;
import dev.baton.runner.testkit.TestRun;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/**
 * Foreign values in every field that a value can reach: each run completes, or fails with a code,
 * in its first epoch, and the runner continues. {@code -Dbaton.values=N} for more runs, {@code
 * -Dbaton.seed=S} to repeat a seed.
 */
class ForeignValuesTest extends SharedRunnerTestBase {
  private static final int VALUES = Integer.getInteger("baton.values", 200);
  private static final int AT_ONCE = 16;
  private static final String EXPRESSION = "{name: v, steps: [{id: s, transform: '%s'}]}";

  private final Map<String, StepFunction> echo = Map.of("echo", (arguments, context) -> arguments);

  ForeignValuesTest(RunnerTestEnvironment services) {
    super(services);
  }

  /** Workflows whose {@code .input.v} is foreign; PORT is replaced by a server's port. */
  private static List<String> fields() {
    List<String> all = new ArrayList<>();
    for (String jq :
        List.of(
            ".input.v",
            ".input.v as $p | \"some text\" | test($p)",
            ".input.v as $p | \"some text\" | [match($p; \"g\")]",
            ".input.v | tostring | ascii_downcase | length",
            ".input.v | tojson | fromjson",
            ".input.v | fromjson",
            ".input.v | tonumber",
            ".input.v | @base64d",
            ".input.v | .[0:3]",
            ".input.v | explode | implode",
            ".input.v | floor",
            "[.input.v] | sort | unique | group_by(.)",
            "{(.input.v): 1}",
            ".run.labels.foreign")) {
      all.add(EXPRESSION.formatted(jq));
    }
    for (String output : List.of("text", "json", "lines", "none")) {
      all.add(
          "{name: v, steps: [{id: s, shell: 'printf %%s \"$V\"', env: {V: '${{ .input.v }}'}, workspace: none, output: %s}]}"
              .formatted(output));
    }
    all.add(
        "{name: v, steps: [{id: s, shell: 'printf %s \"$V\" > out.json', env: {V: '${{ .input.v"
            + " }}'}, output: {file: out.json}}]}");
    all.add("{name: v, steps: [{id: s, shell: 'touch -- \"$V\"', env: {V: '${{ .input.v }}'}}]}");
    all.add(
        "{name: v, steps: [{id: s, shell: 'exit \"$V\"', env: {V: '${{ .input.v }}'}, workspace:"
            + " none, retry: {max: 1, backoff: 1ms}}]}");
    for (String http :
        List.of(
            "{url: '${{ .input.v }}'}",
            "{url: 'http://127.0.0.1:PORT/${{ .input.v }}'}",
            "{url: 'http://127.0.0.1:PORT/?q=${{ .input.v }}'}",
            "{url: 'http://${{ .input.v }}/', timeout: 1s}",
            "{url: 'http://127.0.0.1:${{ .input.v }}/', timeout: 1s}",
            "{url: 'http://127.0.0.1:PORT/', headers: {X-Foreign: '${{ .input.v }}'}}",
            "{url: 'http://127.0.0.1:PORT/', headers: {Content-Type: '${{ .input.v }}'}, method:"
                + " POST, body: {a: ['${{ .input.v }}']}}",
            "{url: 'http://127.0.0.1:PORT/', method: PUT, body: '${{ .input.v }}'}")) {
      all.add("{name: v, steps: [{id: s, http: " + http + "}]}");
    }
    all.add("{name: v, steps: [{id: s, wait: '${{ .input.v }}'}]}");
    all.add("{name: v, steps: [{id: s, wait: {until: '${{ .input.v }}'}}]}");
    all.add("{name: v, steps: [{id: s, wait: {until: '${{ .input.v | tostring }}'}}]}");
    all.add(
        "{name: v, steps: [{id: s, approval: {prompt: '${{ .input.v }}', timeout: 50ms, default:"
            + " {approved: true}}}]}");
    all.add(
        "{name: v, steps: [{id: answered, approval: {prompt: Go}}, {id: t, transform:"
            + " .steps.answered.output}]}");
    all.add(
        "{name: v, steps: [{id: s, fn: {bean: echo, args: {a: ['${{ .input.v }}', 'x${{ .input.v"
            + " }}']}}}]}");
    all.add("{name: v, steps: [{id: s, when: .input.v, transform: '1'}]}");
    all.add("{name: v, steps: [{id: s, when: '.input.v | test(\"x\")', transform: '1'}]}");
    all.add(
        "{name: v, steps: [{id: s, parallel: {over: .input.v, steps: [{id: i, transform:"
            + " .run.branch.item}]}}]}");
    all.add(
        "{name: v, steps: [{id: s, parallel: {over: '[.input.v, 1]', steps: [{id: i, shell: 'printf"
            + " %s \"$V\"', workspace: none, env: {V: '${{ .run.branch.item }}'}}]}}]}");
    all.add(
        "{name: v, steps: [{id: s, transform: '1', next: [{when: '.input.v | test(\"x\")', to:"
            + " t}]}, {id: t, transform: .input.v}]}");
    return all;
  }

  /** Returns a JSON text. */
  private static String value(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> pick(random, NUMBERS);
      case 1 -> quoted(pick(random, TIMES));
      case 2 ->
          pick(random, NUMBERS).startsWith("1")
              ? pick(random, OTHERS)
              : quoted(pick(random, NUMBERS));
      case 3 -> pick(random, OTHERS);
      case 4 -> quoted(pick(random, TEXTS));
      case 5 -> quoted("x".repeat(1 << 20) + pick(random, TEXTS));
      case 6 ->
          quoted(Character.toString(random.nextInt(0x80, 0x100)).repeat(1 + random.nextInt(5)));
      default -> quoted(noise(random));
    };
  }

  private static final List<String> NUMBERS =
      List.of(
          "0",
          "-0",
          "-0.0",
          "1",
          "-1",
          "0.1",
          "1e-400",
          "5e-324",
          "1e308",
          "1e309",
          "-1e309",
          "1e400",
          "2147483647",
          "2147483648",
          "-2147483649",
          "4294967296",
          "9007199254740991",
          "9007199254740993",
          "9223372036854775807",
          "9223372036854775808",
          "-9223372036854775809",
          "31556889864403199",
          "31556889864403200",
          "-31557014167219200",
          "-31557014167219201",
          "253402300800",
          "-62167219201",
          "1" + "0".repeat(400),
          "0." + "3".repeat(400));

  private static final List<String> TIMES =
      List.of(
          "0000-01-01T00:00:00Z",
          "9999-12-31T23:59:59.999999999Z",
          "+10000-01-01T00:00:00Z",
          "+999999999-12-31T23:59:59Z",
          "-999999999-01-01T00:00:00+18:00",
          "1970-01-01T00:00:00Z",
          "2026-02-30T00:00:00Z",
          "2026-01-01T24:00:00Z",
          "1969-12-31T23:59:60Z",
          "0s",
          "-1s",
          "1ms",
          "999999999d",
          "999999999d999999999h999999999m999999999s999999999999ms",
          "P999999999D",
          "PT9223372036854775807S",
          "PT-9223372036854775808S",
          "PT0.000000001S",
          "3653d",
          "3654d",
          "P1Y",
          "PT",
          "١s");

  private static final List<String> TEXTS =
      List.of(
          "",
          " ",
          "\0",
          "left\0right",
          "\r\n",
          "a\r\nX-Evil: 1",
          "\ud800",
          "\udc00x",
          "\ud83d\ude00",
          "\u202e\u200b",
          "\ufeff",
          "\uffff",
          "../../etc/passwd",
          "/dev/zero",
          "~",
          "-rf",
          "$(id)",
          "%s%n%n",
          "(",
          "[",
          "a{2000000000}",
          "\\",
          "(?<n>",
          "*",
          "[[:foo:]]",
          "\\p{Nope}",
          "://",
          "http://",
          "http://[",
          "http://a_b:1/",
          "99999",
          "-1",
          "65536",
          "true",
          "null",
          "{",
          "\"",
          "{\"a\": 1e400}",
          "[[[[",
          "a/b",
          "\t",
          "\u001b[31m");

  private static final List<String> OTHERS =
      List.of(
          "null",
          "true",
          "false",
          "[]",
          "{}",
          "[null]",
          "{\"\": {\"\\u0000\": []}}",
          "[".repeat(400) + "]".repeat(400),
          "[[], {}, \"\", -1]",
          "{\"a\": 1, \"a\": 2}",
          "[" + "0,".repeat(9_000) + "0]");

  private static String pick(Random random, List<String> from) {
    return from.get(random.nextInt(from.size()));
  }

  private static String noise(Random random) {
    StringBuilder text = new StringBuilder();
    for (int left = random.nextInt(200); left > 0; left--) {
      text.append((char) (random.nextBoolean() ? random.nextInt(0x100) : random.nextInt(0x10000)));
    }
    return text.toString();
  }

  /** ASCII only: characters that UTF-8 cannot represent are escaped. */
  private static String quoted(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      json.append(
          c >= ' ' && c < 0x7f && c != '"' && c != '\\' ? "" + c : "\\u%04x".formatted((int) c));
    }
    return json.append('"').toString();
  }

  @Test
  void shouldEndEveryRunWithWhateverValues() throws Exception {
    long seed = Long.getLong("baton.seed", System.nanoTime());
    System.out.printf("ForeignValuesTest: %d values, -Dbaton.seed=%d%n", VALUES, seed);
    Random random = new Random(seed);
    functions.putAll(echo);
    List<String> fields = fields();
    Map<String, Integer> ends = new ConcurrentHashMap<>();
    Logger noisy = Logger.getLogger("dev.baton.runner.engine");
    noisy.setLevel(Level.OFF); // It logs each failure with its stack trace.
    try (RawServer server =
            new RawServer(
                out ->
                    out.write(
                        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"
                            .getBytes(StandardCharsets.US_ASCII)));
        var pool = Executors.newFixedThreadPool(AT_ONCE, Thread.ofVirtual().factory())) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < VALUES; i++) {
        String field = fields.get(i % fields.size()).replace("PORT", "" + server.port());
        long valueSeed = random.nextLong();
        all.add(
            pool.submit(
                () -> {
                  ends.merge(end(field, value(new Random(valueSeed))), 1, Integer::sum);
                  return null;
                }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    } finally {
      noisy.setLevel(null);
    }

    System.out.printf("  %s%n", new TreeMap<>(ends));
    assertThat(ends).containsKey("completed");
    assertThat(run("{name: next, steps: [{id: a, transform: '\"on\"'}]}").awaitOutput())
        .isEqualTo(TextNode.valueOf("on"));
    assertThat(runner.exit).isNotDone();
    assertThat(services.trace.malformed()).isEmpty();
  }

  private String end(String field, String value) throws Exception {
    String what = field + " with " + (value.length() > 300 ? value.substring(0, 300) + "…" : value);
    TestRun run = new TestRun(services, field, "null");
    run.rawInput("{\"v\": " + value + "}")
        .deadline(Instant.now().plusSeconds(field.contains("wait") ? 3 : 25));
    if (Json.mapper().readTree(value).isTextual()) {
      run.label("foreign", UnicodeSanitizer.of(Json.mapper().readTree(value).textValue()));
    }
    run.start(runner.id);
    if (field.contains("id: answered")) {
      services.trace.await(run.id, TraceEvent.ApprovalRequested.class, asked -> true);
      services.gateway.answer(runner.id, run.id, run.id + "-answered-1", value);
    }
    String outcome;
    try {
      outcome = services.gateway.awaitReleased(run.id, 1).getOutcome();
    } catch (AssertionError | Exception e) {
      throw new AssertionError("does not end: " + what + " " + run.events(), e);
    }
    if (outcome.equals("completed")) {
      services.trace.forget(run.id);
      return outcome;
    }
    assertThat(outcome).as(what).isEqualTo("failed");
    TraceEvent.RunFailed failed = run.awaitFailure();
    services.trace.forget(run.id);
    assertThat(failed.error().code()).as(what).matches("[a-z_]+");
    assertThat(failed.error().message()).as(what).isNotBlank();
    return failed.error().code();
  }
}
