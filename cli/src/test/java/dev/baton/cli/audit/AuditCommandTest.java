/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.audit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.InProcessCli;
import dev.baton.cli.StubServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AuditCommandTest {
  private static final String RECORD =
      """
      {"id":"01jd0000000000000000abcdef","time":"2026-01-01T00:00:00Z","caller":"ci\\u001b[2J","key":"k1",
       "roles":{"*":"operator"},"peer":"10.0.0.7","operation":"POST /runs/{id}/cancel","projects":["payments"],
       "runs":["01jd0000000000000000abcdef"],"target":"abcdef","outcome":"refused","status":"403","count":99}""";

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
  void shouldShowWhoDidWhatToWhichRun() {
    server.on(
        "GET /audit?since=1h&caller=ci&run=abcdef&outcome=refused&limit=2",
        200,
        "{\"records\":[%s]}".formatted(RECORD));

    String out =
        cli.run(
                "audit",
                "--since",
                "1h",
                "--caller",
                "ci",
                "--run",
                "abcdef",
                "--outcome",
                "refused",
                "--limit",
                "2")
            .out();

    assertThat(out.lines().skip(1).findFirst().orElseThrow().split(" {2,}"))
        .containsExactly(
            "2026-01-01T00:00:00Z",
            "ci\\x1b[2J",
            "10.0.0.7",
            "POST /runs/{id}/cancel",
            "abcdef",
            "payments",
            "refused 403 ×99");
  }

  @Test
  void shouldPrintThePageAsJson() {
    server.on("GET /audit?limit=50", 200, "{\"records\":[%s]}".formatted(RECORD));

    assertThat(cli.run("audit", "-o", "json").out()).contains("\"refused\"", "\"peer\"");
  }

  @Test
  void shouldReportThatThereAreNone() {
    server.on("GET /audit?limit=50", 200, "{\"records\":[]}");

    assertThat(cli.run("audit").out()).isEqualTo("no calls\n");
  }
}
