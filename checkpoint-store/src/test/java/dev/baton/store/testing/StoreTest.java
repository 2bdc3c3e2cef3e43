/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import java.net.URI;
import java.util.Objects;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The base class of tests against the running store and real servers. */
@QuarkusTestResource(StoreServersTestResource.class)
public abstract class StoreTest {
  @TestHTTPResource("/")
  protected @Nullable URI base;

  protected KafkaTestClient log = unset();
  protected StoreTestClient client = unset();

  @BeforeEach
  void connect() {
    log = new KafkaTestClient();
    client = new StoreTestClient(Objects.requireNonNull(base));
  }

  @AfterEach
  void disconnect() {
    log.close();
    client.close();
  }

  /** Asserts that a call fails with this status and that its description contains these words. */
  protected static void assertStatus(ThrowingCallable call, Status.Code code, String words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StatusRuntimeException.class,
            e -> {
              assertThat(e.getStatus().getDescription()).contains(words);
              assertThat(e.getStatus().getCode()).isEqualTo(code);
            });
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T unset() {
    return null; // set before each test
  }
}
