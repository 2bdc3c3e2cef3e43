/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
/**
 * Authenticates callers by JSON Web Tokens of an OpenID Connect issuer.
 *
 * <p>{@link dev.baton.server.oidc.OidcTokenReader} owns what a token must be before its signature
 * is verified, {@link dev.baton.server.oidc.IssuerKeyCache} the time at which keys are fetched by
 * {@link dev.baton.server.oidc.IssuerKeyClient}, {@link dev.baton.server.oidc.ClaimRoleMapping} the
 * roles, and {@link dev.baton.server.oidc.OidcTokenAuthenticator} the verdict.
 */
@NullMarked
package dev.baton.server.oidc;

import org.jspecify.annotations.NullMarked;
