/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.opencode;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OpenCodePermissionReplierTest {
  private final BlockingQueue<String> sent = new LinkedBlockingQueue<>();
  private final OpenCodePermissionReplier replier =
      new OpenCodePermissionReplier(
          (request, refusal) -> sent.add(request + (refusal == null ? "" : ": " + refusal)));

  private String next() throws InterruptedException {
    return String.valueOf(sent.poll(10, TimeUnit.SECONDS));
  }

  @Test
  void shouldRefuseAfterAllApprovals() throws Exception {
    replier.requested("a");
    replier.requested("b");
    replier.decided("a", "no");
    replier.decided("b", null);

    assertThat(next()).isEqualTo("b");
    assertThat(next()).isEqualTo("a: no");
  }

  @Test
  void shouldHoldARefusalWhileAnotherIsUndecided() throws Exception {
    replier.requested("a");
    replier.decided("a", "no");
    // Of the same answer: its request is a little later.
    replier.requested("b");
    assertThat(sent.poll(1, TimeUnit.SECONDS)).isNull();

    replier.decided("b", null);

    assertThat(next()).isEqualTo("b");
    assertThat(next()).isEqualTo("a: no");
  }

  @Test
  void shouldReplyOnce() throws Exception {
    replier.requested("a");
    replier.decided("a", null);
    replier.decided("a", "no");
    replier.requested("b");
    replier.decided("b", null);

    assertThat(next()).isEqualTo("a");
    assertThat(next()).isEqualTo("b");
  }
}
