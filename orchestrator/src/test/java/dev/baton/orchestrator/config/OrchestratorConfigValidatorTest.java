/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.TestConfigFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OrchestratorConfigValidatorTest {
  private record Case(String key, String value, String allowed) {}

  @Test
  void shouldNameKeyValueAndWhatIsAllowed() {
    List<Case> wrong =
        List.of(
            new Case("baton.heartbeat.interval", "100ms", "200ms or more"),
            new Case("baton.heartbeat.timeout", "20s", "three intervals or more"),
            new Case("baton.failover.max-deaths", "0", "1 to 1000000"),
            new Case("baton.runner.slots", "0", "1 to 10000"),
            new Case("baton.launcher.pool.size", "65", "0 to 64"),
            new Case("baton.launcher.warm.size", "-1", "0 to 64"),
            new Case("baton.runner.max-lifetime", "59s", "off, or a duration"),
            new Case("baton.park-after", "soon", "off, or a duration"),
            new Case("baton.launcher.timeout", "10ms", "1s or more"),
            new Case("baton.launchers.a.type", "podman", "process, docker, kubernetes, attached"),
            new Case("baton.launchers.a.max-runners", "0", "1 to 100000"),
            new Case("baton.launchers.process.max-runners", "1", "more than the 1 runners"),
            new Case("baton.launchers.a.timeout.pulling", "10ms", "1s or more"),
            new Case("baton.launchers.a.pools.b.warm", "65", "0 to 64"),
            new Case("baton.db.port", "70000", "1 to 65535"),
            new Case("baton.streams.per-caller", "0", "1 to 100000"),
            new Case("baton.streams.total", "-1", "1 to 100000"),
            new Case("baton.audit.retention", "1s", "1h to 3650d"),
            new Case("baton.store-url", "ftp://x", "http://<host>:<port>"),
            new Case("baton.instance-id", "a b", "letters, digits"));
    for (Case one : wrong) {
      assertThat(
              OrchestratorConfigValidator.problems(
                  TestConfigFactory.of(Map.of(one.key(), one.value()))))
          .as(one.key())
          .singleElement()
          .asString()
          .startsWith(one.key() + "=")
          .contains(one.allowed());
    }
  }

  @Test
  void shouldRefuseTheDefaultPasswordForAPostgresOfAnotherHost() {
    assertThat(
            OrchestratorConfigValidator.problems(
                TestConfigFactory.of(Map.of("baton.db.host", "192.0.2.1"))))
        .singleElement()
        .asString()
        .startsWith("baton.db.password is not set");
    assertThat(
            OrchestratorConfigValidator.problems(
                TestConfigFactory.of(
                    Map.of("baton.db.host", "192.0.2.1", "baton.db.password", "another"))))
        .isEmpty();
  }

  @Test
  void shouldHaveTheDocumentedDefaults() {
    OrchestratorConfig config = TestConfigFactory.of(Map.of());

    assertThat(OrchestratorConfigValidator.problems(config)).isEmpty();
    assertThat(config.heartbeat().interval()).isEqualTo(Duration.ofSeconds(10));
    assertThat(config.heartbeat().timeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(config.lease().required()).isFalse();
    assertThat(config.launcher().timeout()).isEqualTo(Duration.ofSeconds(60));
    assertThat(config.launcher().pool().size()).isEqualTo(1);
    assertThat(config.launcher().warm().size()).isZero();
    assertThat(config.runner().maxLifetime()).isEqualTo("24h");
    assertThat(config.parkAfter()).isEqualTo("10m");
    assertThat(config.launcher().process().command()).isEmpty();
    assertThat(config.launchers()).isEmpty();
    assertThat(config.runner().slots()).isEqualTo(1_000);
    assertThat(config.db().port()).isEqualTo(5_432);
  }
}
