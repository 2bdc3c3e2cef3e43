/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.testing;

import dev.baton.oidc.testkit.OidcTestIssuer;
import dev.baton.protocol.identity.ApiKeyFormat;
import io.quarkus.test.junit.QuarkusTestProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Configures a store whose callers need an identity, as by default, but events need no lease. */
public final class StoreIdentityTestProfile implements QuarkusTestProfile {
  /** The system properties with the API keys; the tests run in another class loader. */
  public static final String ADMIN = "test.admin.key";

  public static final String VIEWER = "test.viewer.key";

  /**
   * Begins the names of system properties with tokens: {@code admins}, {@code viewers}, {@code
   * payments} of a project, {@code unknown} without a role, {@code foreign} of another audience.
   */
  public static final String TOKEN = "test.token.";

  /** The system property with an admin's key for one project. */
  public static final String PROJECT_ADMIN = "test.project-admin.key";

  @Override
  public Map<String, String> getConfigOverrides() {
    Map<String, String> settings = new HashMap<>(new LeaseTestProfile().getConfigOverrides());
    settings.put("baton.lease.required", "false");
    settings.put("baton.identity.required", "true");
    settings.put(
        "baton.identity.admin-keys-file",
        file(ADMIN, "\n" + key(PROJECT_ADMIN) + " payments=admin"));
    settings.put("baton.identity.viewer-keys-file", file(VIEWER, ""));
    settings.put("baton.identity.oidc.issuer", issuer());
    settings.put("baton.identity.oidc.audience", "baton");
    settings.put(
        "baton.identity.oidc.roles", "admins *=admin\nviewers *=viewer\npayments payments=admin");
    return settings;
  }

  /** Starts an issuer for the rest of this process; returns its URL. */
  private static String issuer() {
    try {
      // Closed with the process: profiles have no end.
      @SuppressWarnings("resource")
      OidcTestIssuer issuer = new OidcTestIssuer();
      for (String group : List.of("admins", "viewers", "payments", "unknown")) {
        Map<String, Object> claims = issuer.claims("ann", "baton", List.of(group));
        claims.put("exp", Instant.now().plus(Duration.ofHours(2)).getEpochSecond());
        System.setProperty(TOKEN + group, issuer.sign(claims));
      }
      Map<String, Object> forOthers = issuer.claims("ann", "other", List.of("admins"));
      System.setProperty(TOKEN + "foreign", issuer.sign(forOthers));
      return issuer.url();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String key(String property) {
    String key = ApiKeyFormat.create();
    System.setProperty(property, key);
    return key;
  }

  private static String file(String property, String rest) {
    String key = key(property);
    try {
      Path file = Files.createTempFile("baton-keys", ".txt");
      file.toFile().deleteOnExit();
      return Files.writeString(file, key + rest + "\n").toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
