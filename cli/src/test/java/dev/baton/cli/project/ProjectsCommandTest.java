/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.project;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.InProcessCli;
import dev.baton.cli.StubServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProjectsCommandTest {
  private static final String PROJECT =
      """
      {"name":"payments","created_at":"2026-01-01T00:00:00Z","created_by":"a","under_way":2,"queued":7,"runs":30,
       "stored_bytes":1200000000,"limits":{"runs":2,"storage_bytes":20000000000}}""";

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
  void shouldListProjectsWithTheUseOfTheirLimits() {
    server.on("GET /projects?limit=100", 200, "{\"projects\":[" + PROJECT + "]}");

    assertThat(cli.run("projects").out().lines().skip(1).findFirst().orElseThrow().split(" +"))
        .containsExactly("payments", "2", "2", "7", "-", "-", "1.2GB", "20GB", "30");
  }

  @Test
  void shouldChangeOnlyTheLimitsThatAreNamed() {
    server.on("GET /projects/payments", 200, PROJECT);
    server.on("PUT /projects/payments", 200, PROJECT);

    assertThat(cli.run("projects", "limit", "payments", "--rate", "5").code()).isZero();

    assertThat(server.requests().getLast().line()).isEqualTo("PUT /projects/payments");
    assertThat(server.requests().getLast().body())
        .contains("\"runs\":2", "\"storage_bytes\":20000000000", "\"rate\":5.0");

    assertThat(cli.run("projects", "limit", "payments", "--storage-bytes", "9", "--clear").code())
        .isZero();

    assertThat(server.requests().getLast().body()).isEqualTo("{\"limits\":{\"storage_bytes\":9}}");
  }

  @Test
  void shouldNeedALimit() {
    InProcessCli.Result result = cli.run("projects", "limit", "payments");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("--runs");
  }
}
