/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.InProcessCli;
import dev.baton.cli.StubServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DeadLettersCommandTest {
  private static final String LETTER =
      """
      {"topic":"baton.trace","partition":3,"offset":17,"key":"01jd0000000000000000abcdef",
       "id":"01jd0000000000000000abcdef/1/2","type":"dev.baton.step_completed","source":"/my/agent",
       "time":"2026-01-01T00:00:00Z","reason":"missing_field","message":"lacks the field 'step'",
       "hint":"add the field","value":"{}\\u001b[2J","value_bytes":3}""";

  private StubServer server;
  private InProcessCli cli;

  @BeforeEach
  void start() throws Exception {
    server = new StubServer();
    cli = InProcessCli.against(server);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void shouldShowTheReasonAndTheHint() {
    server.on(
        "GET /dead-letters?run=abcdef&topic=baton.trace&reason=missing_field&limit=2",
        200,
        "{\"dead_letters\":[%s,%s]}".formatted(LETTER, LETTER.replace("17", "-1")));

    String out =
        cli.run(
                "dead-letters",
                "--run",
                "abcdef",
                "--topic",
                "baton.trace",
                "--reason",
                "missing_field",
                "--limit",
                "2")
            .out();

    assertThat(out)
        .contains("  baton.trace-3 offset 17  missing_field\n")
        .contains("\n  key      01jd0000000000000000abcdef\n")
        .contains("\n  problem  lacks the field 'step'\n  hint     add the field\n")
        .contains("\n  value    {}\\x1b[2J\n\n")
        .contains("  baton.trace  missing_field\n");
  }

  @Test
  void shouldPrintThePageAsJson() {
    server.on("GET /dead-letters?limit=20", 200, "{\"dead_letters\":[%s]}".formatted(LETTER));

    assertThat(cli.run("dead-letters", "-o", "json").out())
        .contains("\"reason\"", "\"missing_field\"", "\"hint\"");
  }

  @Test
  void shouldReportThatThereAreNone() {
    server.on("GET /dead-letters?limit=20", 200, "{\"dead_letters\":[]}");

    assertThat(cli.run("dead-letters").out()).isEqualTo("no dead letters\n");
  }

  @Test
  void shouldRefuseARunThatIsNone() {
    InProcessCli.Result result = cli.run("dead-letters", "--run", "not-a-run!");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("'not-a-run!' is not a run id");
  }
}
