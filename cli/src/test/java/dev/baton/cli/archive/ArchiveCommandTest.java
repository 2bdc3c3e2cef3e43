/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.archive;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.InProcessCli;
import dev.baton.cli.StubServer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ArchiveCommandTest {
  private static final String RUN =
      """
      {"run":"01jd0000000000000000abcdef","workflow":"hello","status":"failed","steps_completed":3,"events":12,
       "created_at":"2026-01-01T00:00:00Z","ended_at":"2026-01-01T00:00:02.500Z",
       "left_out":[%s],"archived_at":"2026-01-01T00:00:03Z","commit":"0123456789abcdef0123456789abcdef01234567"}""";

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
  void shouldListTheRunsOfTheArchive() {
    server.on(
        "GET /archive?limit=50",
        200,
        "{\"runs\":[%s,%s],\"source\":\"git\"}"
            .formatted(RUN.formatted(""), RUN.formatted("{\"what\":\"checkpoint\"}")));

    List<String> lines = cli.run("archive").out().lines().toList();

    assertThat(lines.get(0).replaceAll(" +", " "))
        .isEqualTo("ID WORKFLOW STATUS DONE EVENTS AGE TOOK COMMIT FILES");
    assertThat(lines.get(1).replaceAll(" +", " "))
        .startsWith("abcdef hello failed 3 12 ")
        .endsWith(" 2.5 s 0123456789 whole");
    assertThat(lines.get(2)).endsWith("left out: 1");
  }

  @Test
  void shouldSayThatThereAreNoneWithoutAnArchive() {
    server.on("GET /archive?limit=50", 200, "{\"runs\":[],\"source\":\"git\"}");

    assertThat(cli.run("archive").out()).isEqualTo("no runs\n");
    assertThat(cli.run("history").out()).isEqualTo("no runs\n");
    assertThat(cli.run("archive", "-o", "json").out().replaceAll("\\s", ""))
        .isEqualTo("{\"runs\":[],\"source\":\"git\"}");
  }

  @Test
  void shouldRefuseALimitThatIsNone() {
    InProcessCli.Result result = cli.run("archive", "--limit", "0");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("--limit 0 is not 1 to 100000");
  }
}
