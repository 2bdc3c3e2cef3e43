/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.InProcessCli;
import dev.baton.cli.StubServer;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Labels, filters, limits, and bulk commands, against recorded responses. */
class ManyRunsTest {
  private static final String ID = "01jd0000000000000000abcdef";

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
  void shouldFilterByAllThatIsGivenAndShowThePlaceInTheQueue() {
    server.on(
        "GET /runs?status=pending%2Cwaiting&workflow=w&label=a%3D1&label=b%3D2&since=2h&limit=20",
        200,
        "{\"runs\":[{\"id\":\""
            + ID
            + "\",\"status\":\"pending\",\"queued\":{\"position\":3,\"limit\":2}}]}");

    InProcessCli.Result result =
        cli.run(
            "status",
            "--status",
            "pending,waiting",
            "--workflow",
            "w",
            "--label",
            "a=1",
            "--label",
            "b=2",
            "--since",
            "2h");

    assertThat(result.code()).as("%s", result).isZero();
    assertThat(result.out()).contains("pending (queued 3)");
    assertThat(cli.run("status", "--status", "pending,lazy").err())
        .contains("--status 'lazy' is not one of pending");
  }

  @Test
  void shouldSetAndRemoveLabels() {
    server.on(
        "PATCH /runs/abcdef/labels",
        200,
        "{\"id\":\"" + ID + "\",\"labels\":{\"team\":\"b\",\"x\":\"\"}}");

    InProcessCli.Result result = cli.run("label", "abcdef", "team=b", "x=", "old-");

    assertThat(result.out()).isEqualTo("abcdef has team=b x=\n");
    assertThat(server.requests().getLast().body())
        .isEqualTo("{\"team\":\"b\",\"x\":\"\",\"old\":null}");
    assertThat(cli.run("label", "abcdef", "team").code()).isEqualTo(2);
    assertThat(cli.run("label", "abcdef").code()).isEqualTo(2);
  }

  @Test
  void shouldDoNothingToManyRunsUnlessTheyAreNamedAndSomebodyAgrees() {
    server.on("POST /runs/bulk/cancel", 200, page("would_be_cancelled", null));

    assertThat(cli.run("cancel").code()).isEqualTo(2);
    assertThat(cli.run("cancel", ID, "--all").code()).isEqualTo(2);
    assertThat(server.requests()).isEmpty();
    InProcessCli.Result asked = cli.run("cancel", "--label", "a=1");
    assertThat(asked.code()).isEqualTo(2);
    assertThat(asked.err()).contains("--yes");
    assertThat(cli.run("cancel", "--label", "a=1", "--dry-run").out())
        .contains(ID, "1 runs to cancel");
    assertThat(server.requests())
        .allSatisfy(request -> assertThat(request.body()).contains("\"dry_run\":true"));
  }

  @Test
  void shouldGoThroughAllPagesAndTellWhatFailed() {
    server.on("POST /runs/bulk/delete", 200, page("would_be_deleted", "c1"));
    server.on("POST /runs/bulk/delete", 200, page("would_be_deleted", null));
    server.on("POST /runs/bulk/delete", 200, page("deleted", "c2"));
    server.on("POST /runs/bulk/delete", 200, page("failed", null));

    InProcessCli.Result result =
        cli.run("delete", "--status", "completed", "--until", "30d", "--yes", "--now");

    assertThat(result.code()).as("%s", result).isEqualTo(1);
    assertThat(result.out()).contains(ID + ": it is pinned", "1 deleted, 1 failed");
    List<String> bodies = server.requests().stream().map(request -> request.body()).toList();
    assertThat(bodies).hasSize(4);
    assertThat(bodies.get(1)).contains("\"cursor\":\"c1\"");
    assertThat(bodies.get(3))
        .contains("\"cursor\":\"c2\"", "\"now\":true", "\"status\":[\"completed\"]");
  }

  private static String page(String outcome, @org.jspecify.annotations.Nullable String cursor) {
    boolean failed = outcome.equals("failed");
    return """
        {"results":[{"run":"%s","status":"running","outcome":"%s"%s}],"failed":%d%s}"""
        .formatted(
            ID,
            outcome,
            failed ? ",\"detail\":\"it is pinned\"" : "",
            failed ? 1 : 0,
            cursor == null ? "" : ",\"next_cursor\":\"" + cursor + "\"");
  }

  @Test
  void shouldShowSetAndClearAWorkflowsLimit() {
    String limit =
        "{\"workflow\":\"w\",\"limit\":%s,\"defined\":2,\"override\":%s,\"under_way\":1,\"queued\":4}";
    server.on("GET /workflows/w/limit", 200, limit.formatted("2", "null"));
    server.on("PUT /workflows/w/limit", 200, limit.formatted("0", "0"));
    server.on("DELETE /workflows/w/limit", 200, limit.formatted("2", "null"));

    assertThat(cli.run("workflows", "limit", "w").out())
        .isEqualTo("w: limit 2, 1 active, 4 queued\n");
    assertThat(cli.run("workflows", "limit", "w", "0").out())
        .isEqualTo("w: limit 0 (set by an operator; the definition's is 2), 1 active, 4 queued\n");
    assertThat(server.requests().getLast().body()).isEqualTo("{\"limit\":0}");
    assertThat(cli.run("workflows", "limit", "w", "--clear").code()).isZero();
    assertThat(cli.run("workflows", "limit", "w", "1", "--clear").code()).isEqualTo(2);
  }

  @Test
  void shouldListWhatWaitsForAPerson() {
    server.on(
        "GET /approvals?status=waiting&run=abcdef&limit=100",
        200,
        "{\"approvals\":[{\"id\":\""
            + ID
            + "-ok-1\",\"step\":\"ok\",\"status\":\"waiting\",\"prompt\":\"Go\\non?\",\"asked_at\":\"2026-01-01T00:00:00Z\"}]}");

    InProcessCli.Result result = cli.run("approvals", "--run", "abcdef");

    assertThat(result.out()).contains(ID + "-ok-1", "Go on?");
    assertThat(cli.run("approvals", "--status", "lazy").code()).isEqualTo(2);
  }

  @Test
  void shouldSendPriorityAndTimeout() {
    server.on("POST /runs", 201, "{\"id\":\"" + ID + "\"}");

    cli.run("run", "w", "--priority", "-7", "--timeout", "2h");

    assertThat(server.requests().getLast().body())
        .contains("\"priority\":-7", "\"deadline\":\"2h\"");
  }
}
