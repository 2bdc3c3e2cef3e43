/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.launcher.LaunchException;
import org.junit.jupiter.api.Test;

class PodLaunchRefusalTest {
  private static LaunchException of(int code, String message) {
    return PodLaunchRefusal.of(code, message, "place", new IllegalStateException(message));
  }

  @Test
  void shouldWaitForRoomWhenAQuotaIsUsedUp() {
    assertThat(of(403, "pods \"a\" is forbidden: exceeded quota: runners, requested: pods=1"))
        .isInstanceOf(LaunchException.NoRoomException.class)
        .hasMessageContainingAll("place", "exceeded quota: runners");
    assertThat(of(409, "Operation cannot be fulfilled on resourcequotas \"runners\""))
        .isInstanceOf(LaunchException.NoRoomException.class);
  }

  @Test
  void shouldRejectWhatOnlyAPersonCanCorrect() {
    assertThat(of(403, "User \"u\" cannot create resource \"pods\""))
        .isInstanceOf(LaunchException.RejectedException.class)
        .hasMessageContaining("deploy/kubernetes/rbac.yaml");
    assertThat(of(403, "violates PodSecurity \"restricted:latest\""))
        .isInstanceOf(LaunchException.RejectedException.class)
        .hasMessageContaining("violates PodSecurity");
    assertThat(of(404, "namespaces \"x\" not found"))
        .isInstanceOf(LaunchException.RejectedException.class)
        .hasMessageContaining("kubernetes.namespace");
    assertThat(of(401, "Unauthorized")).hasMessageContaining("credentials");
    assertThat(of(422, "Pod \"a\" is invalid"))
        .isInstanceOf(LaunchException.RejectedException.class);
  }
}
