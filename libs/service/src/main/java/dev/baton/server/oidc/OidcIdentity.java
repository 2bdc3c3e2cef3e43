/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server.oidc;

import dev.baton.protocol.identity.ProjectRoles;
import java.time.Instant;
import java.util.Optional;

/**
 * The caller that a valid token names.
 *
 * @param id of the subject at its issuer: the same in all of its tokens, and in no token of another
 *     one
 * @param name for people
 * @param roles empty when no value of the token has a role
 * @param validUntil when the token is refused
 */
public record OidcIdentity(
    String id, String name, Optional<ProjectRoles> roles, Instant validUntil) {}
