/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.cli.InProcessCli;
import dev.baton.cli.StubServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Text from a server, a workflow or a step must not control the terminal. */
class ForeignTextTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ID = "01jd0000000000000000abcdef";
  private static final String EVIL =
      "rm -rf /\u001b[2K\rAll \u202eklaw\u202c\u0085 o\u200bk\u2066\uDB40\uDC41\u009b2J\u007f";

  private StubServer server;
  private InProcessCli cli;

  @BeforeEach
  void start() throws Exception {
    server = new StubServer();
    cli = InProcessCli.against(server);
    String evil = TextNode.valueOf(EVIL).toString();
    String waiting =
        "{\"approval\":\"%s-ok-1\",\"step\":%s,\"prompt\":%s}".formatted(ID, evil, evil);
    String run =
        """
        {"id":"%s","workflow":%s,"status":"waiting","epoch":1,"current_steps":[%s],"labels":{%s:%s},"output":%s,
         "error":{"code":"x","message":%s},"waiting":[%s],
         "steps":[{"step":%s,"kind":%s,"status":%s,"error":{"code":%s,"message":%s}}]}\
        """
            .formatted(
                ID, evil, evil, evil, evil, evil, evil, waiting, evil, evil, evil, evil, evil);
    server.on("GET /runs/abcdef", 200, run);
    server.on("GET /runs/" + ID, 200, run);
    server.on("GET /runs?limit=20", 200, "{\"runs\":[" + run + "]}");
    server.on(
        "GET /approvals?status=waiting&limit=100",
        200,
        "{\"approvals\":[{\"id\":%s,\"step\":%s,\"status\":%s,\"prompt\":%s,\"by\":%s}]}"
            .formatted(evil, evil, evil, evil, evil));
    server.on("GET /approvals/" + ID + "-ok-1", 200, "{\"prompt\":" + evil + "}");
    server.on("POST /approvals/" + ID + "-ok-1", 200, "{\"by\":" + evil + "}");
    server.on(
        "GET /runs/" + ID + "/logs",
        200,
        "application/x-ndjson",
        "{\"step\":%s,\"stream\":\"stdout\",\"text\":%s}\n".formatted(evil, evil));
    server.on(
        "GET /workflows", 422, "{\"title\":%s,\"status\":422,\"detail\":%s}".formatted(evil, evil));
    server.on("GET /runners", 200, "{\"runners\":[{\"id\":%s,\"host\":%s}]}".formatted(evil, evil));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status",
        "status abcdef",
        "approvals",
        "approve abcdef",
        "logs " + ID,
        "workflows",
        "runners",
        "-v workflows",
        "status abcdef -ojson",
        "approvals -ojson",
        "approve abcdef -ojson",
        "logs " + ID + " -ojson",
        "workflows -ojson",
        "runners -ojson"
      })
  void shouldMakeVisibleWhatATerminalWouldObey(String line) {
    InProcessCli.Result result = cli.run(line.split(" "));

    String printed = result.out() + result.err();
    assertThat(printed).as("%s", result).contains("rm -rf /");
    assertThat(
            printed
                .codePoints()
                .filter(
                    point ->
                        point != '\n'
                            && (Character.isISOControl(point)
                                || Character.getType(point) == Character.FORMAT))
                .mapToObj(Character::getName)
                .toList())
        .isEmpty();
  }

  @Test
  void shouldKeepTheValuesOfJson() throws Exception {
    assertThat(
            JSON.readTree(cli.run("status", "abcdef", "-ojson").out()).path("output").textValue())
        .isEqualTo(EVIL);
    assertThat(JSON.readTree(cli.run("logs", ID, "-ojson").out()).path("text").textValue())
        .isEqualTo(EVIL);
    assertThat(JSON.readTree(cli.run("workflows", "-ojson").err()).path("detail").textValue())
        .isEqualTo(EVIL);
  }
}
