/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.baton.protocol.grpc.GatewayMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunnerConnectionTest {
  @Test
  void shouldTellTheSlotThatEndsAShortage() {
    RunnerConnection runner =
        new RunnerConnection(
            "r",
            1,
            RunnerConnection.Mode.SHARED,
            2,
            RunnerProperties.NONE,
            false,
            message -> {},
            () -> {});
    assertThat(runner.tryTake()).isTrue();
    assertThat(runner.giveBack()).isFalse();

    assertThat(runner.tryTake()).isTrue();
    assertThat(runner.tryTake()).isTrue();
    assertThat(runner.tryTake()).isFalse();
    assertThat(runner.giveBack()).isTrue();
    assertThat(runner.giveBack()).isFalse();
    assertThat(runner.free()).isEqualTo(2);
  }

  @Test
  void shouldSayWhetherTheRunWasThere() {
    RunnerConnection runner =
        new RunnerConnection(
            "r",
            1,
            RunnerConnection.Mode.SHARED,
            2,
            RunnerProperties.NONE,
            false,
            message -> {},
            () -> {});

    assertThat(runner.hold("a", 1)).isFalse();
    assertThat(runner.hold("a", 2)).isTrue();
    assertThat(runner.drop("a", 1)).isFalse();
    assertThat(runner.drop("a", 2)).isTrue();
    assertThat(runner.runs()).isEmpty();
  }

  @Test
  void shouldGiveNothingToADoubtedRunnerBeforeItHasAnswered() {
    List<GatewayMessage> sent = new ArrayList<>();
    RunnerConnection runner =
        new RunnerConnection(
            "r",
            1,
            RunnerConnection.Mode.SHARED,
            2,
            RunnerProperties.NONE,
            true,
            sent::add,
            () -> {});
    assertThat(runner.hasRoom()).isTrue();

    runner.doubt();

    assertThat(runner.hasRoom()).isFalse();
    assertThat(sent).singleElement().matches(GatewayMessage::hasPing);
    assertThat(runner.heard()).isTrue();
    assertThat(runner.hasRoom()).isTrue();
    assertThat(runner.heard()).isFalse();
  }

  @Test
  void shouldNotDoubtOneThatNeverAnswers() {
    RunnerConnection runner =
        new RunnerConnection(
            "r",
            1,
            RunnerConnection.Mode.SHARED,
            2,
            RunnerProperties.NONE,
            false,
            message -> {},
            () -> {});

    runner.doubt();

    assertThat(runner.hasRoom()).isTrue();
    assertThat(runner.isSilentFor(Duration.ZERO)).isFalse();
  }
}
