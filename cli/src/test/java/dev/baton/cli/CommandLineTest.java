/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.baton.cli.terminal.Terminal;
import dev.baton.protocol.json.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How the command parses its arguments, without a server. */
class CommandLineTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          statu                         | status
          run                           | FILE|NAME
          approve                       | ID|APPROVAL
          status --limit x              | --limit
          status --limit 0              | 1 to 100000
          status --status ready         | pending, starting, running
          status nope                   | all 26 characters, or the last six
          events 01jd0000000000000000abcde! | all 26 characters
          events abcdef --after -1      | 0 or more
          up --port 70000               | 1 to 65535
          demo --kills 0                | 1 to 1000
          demo --use claude             | --use names an agent: add --agent
          demo --agent --use gpt        | allowed: loop, claude, codex, opencode
          demo --agent --program x      | the built-in loop has no program
          chaos --minutes 0             | 0.2 to 10080
          chaos --runs 0                | 1 to 100000
          chaos --replicas 4            | 1 to 3
          chaos --check . --seed 1      | evaluates a recorded history
          status -o xml                 | xml
          status --server ftp://x       | http://HOST[:PORT]
          run missing.yaml              | file not found: 'missing.yaml'
          completion fish               | fish
          """)
  void shouldRefuseWrongArgumentsInOneLine(String line, String hint) {
    InProcessCli cli =
        new InProcessCli(Map.of("HOME", "/nonexistent", "BATON_SERVER", "http://127.0.0.1:1"), "");

    InProcessCli.Result result = cli.run(line.split(" "));

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).startsWith("baton: ").contains(hint.strip());
    assertThat(result.err().lines()).hasSize(1);
    assertThat(result.out()).isEmpty();
  }

  @Test
  void shouldValidateWithoutAServerAndExplain(@TempDir Path folder) throws IOException {
    Path good = folder.resolve("good.yaml");
    Files.writeString(
        good,
        """
        name: good
        description: Tries until it is good.
        steps:
          - id: try
            shell: ./try
            retry: 2
            next: [{on: failure, to: end}, {when: .steps.try.output == "again", to: try}]
            max_visits: 3
          - {id: rate, transform: '1', gate: {when: .steps.rate.output > 0, to: try}}
        """);
    Path bad = folder.resolve("bad.dot");
    Files.writeString(bad, "digraph bad {\n  a [shel=x]\n}\n");

    InProcessCli.Result told = InProcessCli.alone().run("validate", good.toString());
    InProcessCli.Result json =
        InProcessCli.alone().run("validate", good.toString(), bad.toString(), "-o", "json");

    assertThat(told.code()).isZero();
    assertThat(told.out())
        .contains("is valid: good, 2 steps, sha256:")
        .contains("Tries until it is good.")
        .contains(
            "try   shell  retry 2 · at most 3 visits  → end on failure, try when .steps.try.output == \"again\", else rate")
        .contains(
            "rate  transform  gate .steps.rate.output > 0 (back to try, at most 10 times)  → end");
    assertThat(told.out())
        .contains(
            "left out of checkpoints, unless git tracks it: node_modules, __pycache__, target, .venv");
    assertThat(json.code()).isEqualTo(2);
    assertThat(json.err())
        .contains(bad + ":2:6: step a: unknown attribute 'shel'; did you mean 'shell'?");
    JsonNode answer = new ObjectMapper().readTree(json.out());
    assertThat(answer.at("/0/steps/1/gate/to").asText()).isEqualTo("try");
    assertThat(answer.at("/0/workspace/exclude/0").asText()).isEqualTo("node_modules");
    assertThat(answer.at("/1/valid").asBoolean(true)).isFalse();
    assertThat(answer.at("/1/problems/0/line").asInt()).isEqualTo(2);
  }

  @Test
  void shouldShowWhatAWorkflowLeavesOut(@TempDir Path folder) throws IOException {
    String steps = "steps: [{id: a, shell: make}]\n";
    Path some = folder.resolve("some.yaml");
    Files.writeString(some, "name: some\nworkspace: {exclude: [cache/, '*.tmp']}\n" + steps);
    Path none = folder.resolve("none.yaml");
    Files.writeString(none, "name: none\nworkspace: {exclude: []}\n" + steps);

    assertThat(InProcessCli.alone().run("validate", some.toString()).out())
        .contains("left out of checkpoints, unless git tracks it: cache/, *.tmp\n");
    assertThat(InProcessCli.alone().run("validate", none.toString()).out())
        .contains("left out of checkpoints, unless git tracks it: nothing\n");
  }

  @Test
  void shouldSayHowToStartABatonWhenNoneIsKnown() {
    InProcessCli.Result result = InProcessCli.alone().run("status");

    assertThat(result.code()).isEqualTo(6);
    assertThat(result.err())
        .isEqualTo(
            "baton: no server address: /nonexistent/.baton has no stack — start one with `./baton up`,"
                + " or name one with --server URL\n");
  }

  @Test
  void shouldSayWhichServerDoesNotAnswer() {
    InProcessCli.Result result =
        InProcessCli.alone().run("status", "--server", "http://127.0.0.1:1/");

    assertThat(result.code()).isEqualTo(6);
    assertThat(result.err())
        .startsWith(
            "baton: cannot connect to Baton at http://127.0.0.1:1 (from --server) — start one");
  }

  @Test
  void shouldFindTheServerInTheDataFolder(@TempDir Path data) throws Exception {
    try (StubServer server = new StubServer()) {
      server.on("GET /runs?limit=20", 200, "{\"runs\":[]}");
      Files.writeString(
          data.resolve("stack.json"),
          "{\"version\":1,\"ready\":true,\"urls\":{\"orchestrator\":\"" + server.url() + "\"}}");

      InProcessCli.Result result = InProcessCli.alone().run("status", "--data", data.toString());

      assertThat(result).isEqualTo(new InProcessCli.Result(0, "no runs\n", ""));
    }
  }

  @Test
  void shouldReportErrorsAsJsonWhereJsonIsWanted() {
    InProcessCli.Result result = InProcessCli.alone().run("-o", "json", "status", "nope");

    JsonNode problem = Json.tree(result.err().getBytes(StandardCharsets.UTF_8));
    assertThat(problem.path("exit_code").asInt()).isEqualTo(2);
    assertThat(problem.path("title").asText()).startsWith("'nope' is not a run id");
    assertThat(result.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "demo",
        "up",
        "down",
        "run",
        "status",
        "events",
        "logs",
        "dead-letters",
        "approve",
        "reject",
        "cancel",
        "delete",
        "checkpoint",
        "milestones",
        "doctor",
        "archive",
        "workflows",
        "runners",
        "completion",
        "chaos",
        "version"
      })
  void shouldDescribeEveryCommand(String command) {
    InProcessCli.Result result = InProcessCli.alone().run(command, "--help");

    assertThat(result.code()).isZero();
    assertThat(result.out()).contains("Usage: baton " + command, "--output", "Exit codes:");
  }

  @Test
  void shouldDoNothingOnDownWithoutAStack(@TempDir Path data) {
    InProcessCli.Result result = InProcessCli.alone().run("down", "--data", data.toString());

    assertThat(result.code()).isZero();
    assertThat(result.out()).isEqualTo("nothing to stop: " + data + " has no stack\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"version -o json", "version", "runners", "workflows", "run --help"})
  void shouldEndSilentlyWhenNobodyReadsTheOutput(String line) throws Exception {
    OutputStream closed =
        new OutputStream() {
          @Override
          public void write(int one) throws IOException {
            throw new IOException("Broken pipe");
          }
        };
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    Terminal terminal =
        new Terminal(
            new ByteArrayInputStream(new byte[0]),
            new PrintStream(closed, true, StandardCharsets.UTF_8),
            new PrintStream(err, true, StandardCharsets.UTF_8),
            false,
            false);

    try (StubServer server = new StubServer()) {
      server.on("GET /runners", 200, "{\"runners\":[{\"id\":\"r-1\"}]}");
      server.on("GET /workflows", 200, "{\"workflows\":[{\"name\":\"hello\"}]}");
      Map<String, String> environment = Map.of("BATON_SERVER", server.url());

      assertThat(CliMain.run(terminal, environment, line.split(" "))).isEqualTo(141);
    }
    assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"bash", "zsh"})
  void shouldPrintACompletionScriptThatBashParses(String shell) throws Exception {
    InProcessCli.Result result = InProcessCli.alone().run("completion", shell);

    assertThat(result.code()).isZero();
    Process bash = new ProcessBuilder("bash", "-n").redirectErrorStream(true).start();
    try (var in = bash.getOutputStream()) {
      in.write(result.out().getBytes(StandardCharsets.UTF_8));
    }
    String said = new String(bash.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(bash.waitFor(10, TimeUnit.SECONDS)).isTrue();
    assertThat(said).isEmpty();
    assertThat(bash.exitValue()).isZero();
    assertThat(result.out()).contains("workflows", "--follow");
  }
}
