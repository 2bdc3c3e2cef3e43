/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.standalone.StackComponent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Checks that health endpoints distinguish a service that must be restarted from one that is only
 * not ready.
 */
@UsesSharedStack
class HealthTest {
  private static final Duration TOLD = Duration.ofSeconds(60);
  private static final Duration BACK = Duration.ofSeconds(120);

  @SuppressWarnings("NullAway.Init")
  private static SharedStackExtension.RunningStack on;

  @BeforeAll
  static void use(SharedStackExtension.RunningStack running) {
    on = running;
  }

  @ParameterizedTest(name = "{0} is away")
  @CsvSource({"POSTGRES, true", "KAFKA, false"})
  void shouldBeAliveAndNotReadyWhileAServerIsAwayAndReadyWhenItIsBack(
      StackComponent server, boolean storeNeedsIt) throws Exception {
    AcceptanceApiClient store = new AcceptanceApiClient(on.stack.storeUrl(), "");
    List<AcceptanceApiClient> waiting = new ArrayList<>(List.of(on.api));
    if (storeNeedsIt) {
      waiting.add(store);
    }
    for (AcceptanceApiClient service : List.of(on.api, store)) {
      Await.until("ready", BACK, () -> status(service, "ready") == 200);
    }

    on.stack.kill(server);
    try {
      for (AcceptanceApiClient service : waiting) {
        Await.until("not ready", TOLD, () -> status(service, "ready") == 503);
        assertThat(service.get("/q/health/ready").body().toString()).contains("\"DOWN\"");
      }
      for (AcceptanceApiClient service : List.of(on.api, store)) {
        assertThat(status(service, "live")).isEqualTo(200);
      }
    } finally {
      on.stack.restart(server);
    }

    for (AcceptanceApiClient service : List.of(on.api, store)) {
      Await.until("ready again", BACK, () -> status(service, "ready") == 200);
    }
  }

  private static int status(AcceptanceApiClient service, String health) throws Exception {
    return service.get("/q/health/" + health).status();
  }
}
