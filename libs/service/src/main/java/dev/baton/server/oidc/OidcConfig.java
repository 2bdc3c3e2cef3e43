/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server.oidc;

import io.smallrye.config.WithDefault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * {@code baton.identity.oidc.*}: whose JSON Web Tokens a service accepts. {@link OidcSettings}
 * defines the allowed values.
 */
public interface OidcConfig {
  /** The URL of the issuer, as in its tokens. Absent: no tokens are accepted. */
  Optional<String> issuer();

  /** The audiences of which a token must name one; required with an issuer. */
  Optional<List<String>> audience();

  /** The claim whose values have roles: its name, or the path to it with dots. */
  @WithDefault("groups")
  String rolesClaim();

  /**
   * The roles of these values: one {@code VALUE PROJECT=ROLE…} per line; required with an issuer.
   */
  Optional<String> roles();

  /** The claim with the name of the caller: its name, or the path to it with dots. */
  @WithDefault("sub")
  String principalClaim();

  /** By how much the clock of the issuer may differ. */
  @WithDefault("30s")
  Duration clockSkew();

  /** Limit of one request to the issuer. */
  @WithDefault("5s")
  Duration timeout();
}
