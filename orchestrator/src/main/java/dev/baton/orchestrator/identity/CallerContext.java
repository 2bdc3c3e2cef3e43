/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.identity;

import dev.baton.protocol.identity.AccessRole;
import io.quarkus.security.identity.SecurityIdentity;
import jakarta.enterprise.context.ApplicationScoped;

/** Finds the caller of the current request of REST or gRPC. */
@ApplicationScoped
public class CallerContext {
  /** The attribute of an identity that has the {@link AuditedCall}. */
  static final String CALL = "baton.call";

  private final SecurityIdentity identity;

  CallerContext(SecurityIdentity identity) {
    this.identity = identity;
  }

  /**
   * Returns the caller of the current request.
   *
   * @throws IllegalStateException outside of a request
   */
  public Caller caller() {
    if (identity.getPrincipal() instanceof Caller caller) {
      return caller;
    }
    throw new IllegalStateException("the request has no caller");
  }

  /** Returns the access of the current request, which needs a role. */
  public ProjectAccess access(AccessRole needed) {
    return new ProjectAccess(caller(), needed, call());
  }

  /**
   * Returns what is recorded about the current request.
   *
   * @throws IllegalStateException outside of a request with a caller
   */
  public AuditedCall call() {
    AuditedCall call = identity.getAttribute(CALL);
    if (call == null) {
      throw new IllegalStateException("the request has no caller");
    }
    return call;
  }
}
