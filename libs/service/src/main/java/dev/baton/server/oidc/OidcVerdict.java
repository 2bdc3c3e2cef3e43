/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.server.oidc;

/** What the check of a token found. */
public sealed interface OidcVerdict {
  /** The token is valid. */
  record Accepted(OidcIdentity identity) implements OidcVerdict {}

  /**
   * The token is not valid.
   *
   * @param reason in ASCII, without what the token contains
   */
  record Refused(String reason) implements OidcVerdict {}
}
