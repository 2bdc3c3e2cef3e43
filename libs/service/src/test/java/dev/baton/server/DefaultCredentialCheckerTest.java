/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class DefaultCredentialCheckerTest {
  private static Optional<String> problem(String value, String host) {
    return DefaultCredentialChecker.problem(
        "baton.db.password", value, "known", "baton.db.host", host);
  }

  @Test
  void shouldRefuseAKnownPasswordForAnotherHost() {
    assertThat(problem("known", "192.0.2.1"))
        .hasValueSatisfying(
            text ->
                assertThat(text)
                    .startsWith("baton.db.password is not set")
                    .contains("baton.db.host=192.0.2.1")
                    .doesNotContain("known"));
    assertThat(problem("known", "no-such-host.invalid")).isPresent();
  }

  @Test
  void shouldAllowAKnownPasswordOnLoopbackAndAnyOtherEverywhere() {
    assertThat(problem("known", "127.0.0.1")).isEmpty();
    assertThat(problem("known", "localhost")).isEmpty();
    assertThat(problem("other", "192.0.2.1")).isEmpty();
  }
}
