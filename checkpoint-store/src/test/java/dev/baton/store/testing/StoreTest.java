/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.common.http.TestHTTPResource;
import java.net.URI;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A test against the running store and real servers. */
@QuarkusTestResource(Servers.class)
public abstract class StoreTest {
  @TestHTTPResource("/")
  protected @Nullable URI base;

  protected Log log = unset();
  protected Client client = unset();

  @BeforeEach
  void connect() {
    log = new Log();
    client = new Client(Objects.requireNonNull(base));
  }

  @AfterEach
  void disconnect() {
    log.close();
    client.close();
  }

  @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
  private static <T> T unset() {
    return null; // set before each test
  }
}
