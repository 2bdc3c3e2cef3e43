/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StackArgumentsTest {

  @Test
  void shouldTakeAllComponentsUnlessTold() {
    StackArguments arguments = StackArguments.parse("up", "--data", "here");
    assertThat(arguments.data()).isEqualTo(Path.of("here"));
    assertThat(arguments.components()).containsExactly(StackComponent.values());
    assertThat(arguments.foreground()).isFalse();
  }

  @Test
  void shouldTakeTheComponentsNamed() {
    assertThat(StackArguments.parse("up", "--data", "d", "--components", "s3,kafka").components())
        .containsExactly(StackComponent.KAFKA, StackComponent.S3);
  }

  @Test
  void shouldPassEveryArgumentOnToTheSupervisor() {
    for (String option :
        List.of("--tls", "--compact", "--train", "--port=7171", "--components=s3")) {
      List<String> line = new ArrayList<>(List.of("up", "--data", "/d"));
      line.addAll(List.of(option.split("=", -1)));
      StackArguments arguments = StackArguments.parse(line.toArray(String[]::new));
      line.add("--foreground");
      assertThat(StackArguments.parse(arguments.supervisor().toArray(String[]::new)))
          .as(option)
          .isEqualTo(StackArguments.parse(line.toArray(String[]::new)))
          .isNotEqualTo(StackArguments.parse("up", "--data", "/d", "--foreground"));
    }
  }

  @Test
  void shouldNameWhatIsWrongAndWhatIsAllowed() {
    assertThatThrownBy(() -> StackArguments.parse("start", "--data", "d"))
        .hasMessageContaining("unknown action start")
        .hasMessageContaining("usage: up");
    assertThatThrownBy(() -> StackArguments.parse("up")).hasMessageContaining("--data is missing");
    assertThatThrownBy(() -> StackArguments.parse("up", "--data"))
        .hasMessageContaining("--data has no value");
    assertThatThrownBy(() -> StackArguments.parse("up", "--data", "d", "--components", "redis"))
        .hasMessageContaining("unknown component 'redis'")
        .hasMessageContaining("kafka, postgres, s3, checkpoint-store, orchestrator");
  }
}
