/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.lease;

import dev.baton.lease.LeaseAuthenticator;
import dev.baton.lease.LeaseVerdict.Granted;
import jakarta.enterprise.context.ApplicationScoped;

/**
 * Issues leases, which this replica then accepts without verifying its own signature: the run's
 * heartbeats and events bring each of them back. Thread-safe.
 */
@ApplicationScoped
public class LeaseIssuer {
  private final LeaseSigner signer;
  private final LeaseAuthenticator leases;

  LeaseIssuer(LeaseSigner signer, LeaseAuthenticator leases) {
    this.signer = signer;
    this.leases = leases;
  }

  /** Returns a token for one run and one epoch. */
  public String issue(String run, int epoch, String project) {
    String token = signer.mint(run, epoch, project);
    leases.issued(token, new Granted(run, epoch, project));
    return token;
  }
}
