/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server.oidc;

import dev.baton.server.LoopbackChecker;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * The validated settings of {@code baton.identity.oidc}.
 *
 * @param issuer as tokens name it
 * @param audiences at least one
 */
public record OidcSettings(
    String issuer,
    Set<String> audiences,
    ClaimPath rolesClaim,
    ClaimRoleMapping roles,
    ClaimPath principalClaim,
    Duration clockSkew,
    Duration timeout) {
  static final String PREFIX = "baton.identity.oidc.";

  private static final Duration MAX_SKEW = Duration.ofMinutes(5);
  private static final Duration MIN_TIMEOUT = Duration.ofMillis(100);
  private static final Duration MAX_TIMEOUT = Duration.ofSeconds(30);

  public OidcSettings {
    audiences = Set.copyOf(audiences);
  }

  /**
   * Reads the settings; empty without an issuer.
   *
   * @throws IllegalArgumentException that names each wrong key and what is allowed
   */
  public static Optional<OidcSettings> read(OidcConfig config) {
    List<String> problems = problems(config);
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
    return config
        .issuer()
        .map(
            issuer ->
                new OidcSettings(
                    issuer,
                    Set.copyOf(config.audience().orElseThrow()),
                    ClaimPath.parse(config.rolesClaim()),
                    ClaimRoleMapping.parse(config.roles().orElseThrow()),
                    ClaimPath.parse(config.principalClaim()),
                    config.clockSkew(),
                    config.timeout()));
  }

  /** Returns one line per invalid setting; empty when all are valid. */
  public static List<String> problems(OidcConfig config) {
    List<String> problems = new ArrayList<>();
    if (config.issuer().isEmpty()) {
      if (config.audience().isPresent() || config.roles().isPresent()) {
        problems.add(
            PREFIX
                + "issuer is missing, which baton.identity.oidc.audience and .roles need; allowed: "
                + allowedUrl());
      }
      return problems;
    }
    if (!isAllowed(config.issuer().get())) {
      problems.add(wrong("issuer", config.issuer().get(), allowedUrl()));
    }
    List<String> audience = config.audience().orElse(List.of());
    if (audience.isEmpty() || audience.stream().anyMatch(String::isBlank)) {
      problems.add(
          wrong(
              "audience",
              String.join(",", audience),
              "names, separated by commas, of which a token must have one in 'aud'"));
    }
    claim(problems, "roles-claim", config.rolesClaim());
    claim(problems, "principal-claim", config.principalClaim());
    try {
      ClaimRoleMapping.parse(config.roles().orElse(""));
    } catch (IllegalArgumentException e) {
      problems.add(PREFIX + "roles: " + e.getMessage());
    }
    if (config.clockSkew().isNegative() || config.clockSkew().compareTo(MAX_SKEW) > 0) {
      problems.add(wrong("clock-skew", config.clockSkew(), "0s to 5m"));
    }
    if (config.timeout().compareTo(MIN_TIMEOUT) < 0
        || config.timeout().compareTo(MAX_TIMEOUT) > 0) {
      problems.add(wrong("timeout", config.timeout(), "100ms to 30s"));
    }
    return problems;
  }

  private static void claim(List<String> problems, String key, String path) {
    try {
      ClaimPath.parse(path);
    } catch (IllegalArgumentException e) {
      problems.add(wrong(key, path, "the name of a claim, or a path of names with dots"));
    }
  }

  /**
   * Whether keys may be fetched from a URL: without TLS, a program in between could publish its
   * own.
   */
  static boolean isAllowed(String url) {
    try {
      URI uri = new URI(url);
      String host = uri.getHost();
      if (host == null
          || uri.getRawUserInfo() != null
          || uri.getRawQuery() != null
          || uri.getRawFragment() != null) {
        return false;
      }
      return "https".equals(uri.getScheme())
          || "http".equals(uri.getScheme()) && LoopbackChecker.isLoopback(host);
    } catch (URISyntaxException e) {
      return false;
    }
  }

  static String allowedUrl() {
    return "an https URL without query, or http on loopback";
  }

  private static String wrong(String key, Object value, String allowed) {
    return "%s%s=%s is not allowed; allowed: %s".formatted(PREFIX, key, value, allowed);
  }

  /** Returns the audiences for messages. */
  String audienceWords() {
    return String.join(", ", new TreeSet<>(audiences));
  }
}
