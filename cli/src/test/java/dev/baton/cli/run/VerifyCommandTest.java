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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VerifyCommandTest {
  private static final String REPORT =
      """
      {"run":"01jd0000000000000000abcdef","valid":%s,"signed":true,"control":{"events":4,"signed":%d},
       "runner":{"events":9,"with_lease":9,"lease_needed":true},
       "keys":[{"kid":"00112233aabbccdd","published":true,"control_events":4,"runner_events":9}],
       "wrong":%d,"problems":[%s],"gaps":[%s]}""";

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
  void shouldPrintTheKeysOfAValidRun() {
    server.on("GET /runs/abcdef/verification", 200, REPORT.formatted("true", 4, 0, "", ""));

    InProcessCli.Result result = cli.run("verify", "ABCDEF");

    assertThat(result.code()).isZero();
    assertThat(result.out())
        .contains("all proofs are valid", "4 control events, 4 signed")
        .contains("9 events of runners, 9 with a lease")
        .contains("key 00112233aabbccdd: 4 control events, 9 events of runners");
  }

  @Test
  void shouldFailForAWrongProofAndForAGap() {
    server.on(
        "GET /runs/abcdef/verification",
        200,
        REPORT.formatted(
            "false",
            3,
            1,
            "{\"event\":\"01jd0000000000000000abcdef/c/3\",\"reason\":\"bad_signature\","
                + "\"detail\":\"its signature is invalid\",\"events\":1}",
            "{\"lane\":\"c\",\"expected\":5,\"found\":7}"));

    InProcessCli.Result result = cli.run("verify", "abcdef");

    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out())
        .contains("1 event has no valid proof")
        .contains("abcdef/c/3: bad_signature: its signature is invalid")
        .contains("lane c: expected seq 5, found 7");
    InProcessCli.Result json = cli.run("verify", "abcdef", "-o", "json");
    assertThat(json.code()).isEqualTo(1);
    assertThat(json.out()).contains("\"wrong\"");
  }
}
