/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.pgclient.PgException;
import java.io.IOException;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresErrorClassifierTest {
  private static PgException error(@Nullable String state, @Nullable String routine) {
    return new PgException(
        "refused",
        "ERROR",
        state,
        null,
        null,
        null,
        null,
        null,
        null,
        "nbtutils.c",
        "2685",
        routine,
        null,
        null,
        null,
        null,
        null);
  }

  @ParameterizedTest
  @ValueSource(strings = {"22021", "22P02", "23505", "54000", "54001"})
  void shouldRejectDataThatPostgresNeverAccepts(String state) {
    PgException error = error(state, "_bt_check_third_page");

    assertThat(PostgresErrorClassifier.isFinal(error)).isTrue();
    assertThat(PostgresErrorClassifier.isFinal(new CompletionException(error))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"08006", "40001", "53100", "57P01", "XX000", "22"})
  void shouldRetryOtherErrors(String state) {
    assertThat(PostgresErrorClassifier.isFinal(error(state, "f"))).isFalse();
  }

  @Test
  void shouldRetryErrorsThatAreNotOfPostgres() {
    assertThat(PostgresErrorClassifier.isFinal(new IOException("connection reset"))).isFalse();
    assertThat(PostgresErrorClassifier.isFinal(error(null, null))).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"GetNewTransactionId", "GetNewMultiXactId"})
  void shouldRetryWhilePostgresHasNoTransactionIds(String routine) {
    assertThat(PostgresErrorClassifier.isFinal(error("54000", routine))).isFalse();
  }
}
