/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.cli.InProcessCli;
import dev.baton.cli.StubServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GuardCommandTest {
  private static final String RUN = "01jd0000000000000000abcdef";
  private static final String ASKED = "GET /runs/" + RUN + "/epoch?epoch=2";
  private static final String CURRENT = "{\"run\":\"x\",\"epoch\":2,\"current\":true}";

  private StubServer server = start();
  @TempDir Path folder = Path.of(".");

  private static StubServer start() {
    try {
      return new StubServer();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @BeforeEach
  void restart() {
    server.close();
    server = start();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private InProcessCli.Result guard(String... args) {
    Map<String, String> environment = new HashMap<>(InProcessCli.against(server).environment());
    environment.put("BATON_RUN_ID", RUN);
    environment.put("BATON_EPOCH", "2");
    return new InProcessCli(environment, "").run(args);
  }

  private String touch() {
    return folder.resolve("effect").toString();
  }

  private boolean wasStarted() {
    return Files.exists(folder.resolve("effect"));
  }

  @Test
  void shouldStartTheCommandOfTheHolderAndPassItsExitCodeOn() {
    server.on(ASKED, 200, CURRENT);

    assertThat(guard("guard", "--", "touch", touch()).code()).isZero();
    assertThat(wasStarted()).isTrue();
    assertThat(guard("guard", "--", "sh", "-c", "exit 41").code()).isEqualTo(41);
    assertThat(guard("guard", "--", "sh", "-c", "kill -9 $$").code()).isEqualTo(137);
    assertThat(guard("guard", "--", "/no/such/command").code()).isEqualTo(127);
    assertThat(guard("guard", "sh", "-c", "exit 3").code()).as("without --").isEqualTo(2);
  }

  @Test
  void shouldNotStartTheCommandOfAFencedEpoch() {
    server.on(
        ASKED,
        200,
        "{\"run\":\"x\",\"epoch\":3,\"current\":false,\"reason\":\"epoch 2 is fenced: epoch 3 holds the run\"}");

    InProcessCli.Result result = guard("guard", "--", "touch", touch());

    assertThat(result.code()).isEqualTo(120);
    assertThat(result.err()).contains("not started: epoch 2 is fenced: epoch 3 holds the run");
    assertThat(wasStarted()).isFalse();
    assertThat(guard("-o", "json", "guard", "--", "touch", touch()).err())
        .contains("\"exit_code\":120");
  }

  @Test
  void shouldNotStartTheCommandWhereNobodyKnows() throws Exception {
    server.on(ASKED, 503, "{\"title\":\"away\",\"status\":503}");
    assertThat(guard("guard", "--timeout", "400ms", "--", "touch", touch()).code()).isEqualTo(121);
    server.close();

    InProcessCli.Result result = guard("guard", "--timeout", "400ms", "--", "touch", touch());

    assertThat(result.code()).isEqualTo(121);
    assertThat(result.err()).contains("could not determine within 400 ms");
    assertThat(wasStarted()).isFalse();
  }

  @Test
  void shouldAskAgainWithinItsTime() {
    server.on(ASKED, 503, "{\"title\":\"away\",\"status\":503}").on(ASKED, 200, CURRENT);

    assertThat(guard("guard", "--", "touch", touch()).code()).isZero();
    assertThat(wasStarted()).isTrue();
  }

  @Test
  void shouldNotStartTheCommandOfARunThatIsGone() {
    server.on(ASKED, 404, "{\"title\":\"Not found\",\"status\":404,\"detail\":\"no run\"}");

    assertThat(guard("guard", "--", "touch", touch()).code()).isEqualTo(120);
    assertThat(wasStarted()).isFalse();
  }

  @Test
  void shouldSayWhatItNeeds() {
    assertThat(InProcessCli.against(server).run("guard", "--", "true").err())
        .contains("$BATON_RUN_ID");
    assertThat(guard("guard").code()).isEqualTo(2);
    assertThat(guard("guard", "--timeout", "soon", "--", "true").err()).contains("100ms to 10m");
    assertThat(guard("guard", "--help").out()).contains("baton guard -- git push");
  }
}
