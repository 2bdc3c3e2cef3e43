/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.orchestrator.testing.TestConfigFactory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks the settings of one launcher, called {@code a}.
 *
 * @param type of the launcher
 */
record LauncherKeysFixture(String type) {
  static final String KEY = "baton.launchers.a.";

  /** Returns what is wrong with these settings and no others. */
  List<String> problems(Map<String, String> settings) {
    Map<String, String> all = new HashMap<>();
    settings.forEach((key, value) -> all.put(KEY + key, value));
    all.put(KEY + "type", type);
    return OrchestratorConfigValidator.problems(TestConfigFactory.of(all));
  }

  /** Returns what is wrong with one setting and an image. */
  List<String> problems(String key, String value) {
    Map<String, String> settings = new HashMap<>(Map.of("container.image", "baton/runner:1"));
    settings.put(key, value);
    return problems(settings);
  }

  void assertImageIsRequired() {
    assertThat(problems(Map.of()))
        .singleElement()
        .asString()
        .startsWith(KEY + "container.image is missing");
  }

  /** Requires that each of these values is refused by a problem that names key and value. */
  void assertNotAllowed(Map<String, String> wrong) {
    wrong.forEach(
        (key, value) ->
            assertThat(problems(key, value))
                .as(key)
                .singleElement()
                .asString()
                .startsWith(KEY + key + "=")
                .contains("is not allowed; allowed: "));
  }
}
