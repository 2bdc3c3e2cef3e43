/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server.oidc;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The settings of a test, by the names of their keys. */
record OidcTestConfig(Map<String, String> values) implements OidcConfig {
  static final String AUDIENCE = "baton";

  /** The settings for an issuer, with roles for {@code admins} and {@code payments}. */
  static OidcTestConfig of(String issuer) {
    return new OidcTestConfig(
        Map.of(
            "issuer",
            issuer,
            "audience",
            AUDIENCE,
            "roles",
            "admins *=admin\npayments payments=operator *=viewer\norders orders=operator"));
  }

  OidcTestConfig with(String key, String value) {
    Map<String, String> changed = new HashMap<>(values);
    changed.put(key, value);
    return new OidcTestConfig(changed);
  }

  OidcTestConfig without(String key) {
    Map<String, String> changed = new HashMap<>(values);
    changed.remove(key);
    return new OidcTestConfig(changed);
  }

  private Optional<String> value(String key) {
    return Optional.ofNullable(values.get(key));
  }

  @Override
  public Optional<String> issuer() {
    return value("issuer");
  }

  @Override
  public Optional<List<String>> audience() {
    return value("audience").map(text -> List.of(text.split(",", -1)));
  }

  @Override
  public String rolesClaim() {
    return value("roles-claim").orElse("groups");
  }

  @Override
  public Optional<String> roles() {
    return value("roles");
  }

  @Override
  public String principalClaim() {
    return value("principal-claim").orElse("sub");
  }

  @Override
  public Duration clockSkew() {
    return Duration.parse(value("clock-skew").orElse("PT30S"));
  }

  @Override
  public Duration timeout() {
    return Duration.parse(value("timeout").orElse("PT5S"));
  }
}
