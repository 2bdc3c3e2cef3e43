/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.standalone.ServiceReplica;
import dev.baton.standalone.StackComponent;
import dev.baton.standalone.StandaloneStack;
import java.util.Map;

/** Checks that a service does not start with a wrong configuration. */
final class ServiceStartAssert {
  private ServiceStartAssert() {}

  /**
   * Starts a further replica, which must end before it is ready.
   *
   * @param environment of the replica, in addition to that of the stack
   * @param message which its log contains
   */
  static void assertNotStarted(
      StandaloneStack stack,
      StackComponent service,
      Map<String, String> environment,
      String message)
      throws Exception {
    ServiceReplica replica = stack.replica(service, ServiceReplica.freePort(), environment);
    assertThatThrownBy(replica::start).hasMessageContaining("before it was ready");
    assertThat(stack.data().resolve("logs").resolve(replica.name() + ".log"))
        .content()
        .contains(message);
  }
}
