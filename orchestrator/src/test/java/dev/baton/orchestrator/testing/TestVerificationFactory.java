/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.testing;

import dev.baton.protocol.grpc.VerifyEventsResponse;

/** Creates responses about the signatures and leases of a run's stored events. */
final class TestVerificationFactory {
  private TestVerificationFactory() {}

  /** One of two control events has a wrong signature, and the lane has a gap. */
  static VerifyEventsResponse response(String run) {
    VerifyEventsResponse.Builder response =
        VerifyEventsResponse.newBuilder()
            .setSigned(true)
            .setNeedsLease(true)
            .setControlEvents(2)
            .setSignedEvents(1)
            .setWrong(1);
    response.addKeysBuilder().setKid("00112233aabbccdd").setPublished(true).setControlEvents(2);
    response
        .addProblemsBuilder()
        .setEvent(run + "/c/2")
        .setReason("bad_signature")
        .setDetail("its signature is invalid")
        .setEvents(1);
    response.addGapsBuilder().setExpected(3).setFound(5);
    return response.build();
  }
}
