/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.containers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ComposeImageResolverTest {
  @Test
  void shouldFindTheImageOfEachService() throws Exception {
    String compose = Files.readString(Path.of("..", "docker-compose.yml"));
    ComposeImageResolver images = new ComposeImageResolver(compose, Map.of());

    assertThat(images.image("kafka")).startsWith("apache/kafka:");
    assertThat(images.image("postgres")).startsWith("postgres:");
    assertThat(images.image("s3")).startsWith("quay.io/minio/minio:");
    assertThat(images.image("checkpoint-store")).startsWith("baton/checkpoint-store:");
    assertThat(images.image("orchestrator")).startsWith("baton/orchestrator:");
    assertThat(images.image("runner")).startsWith("baton/runner:");
  }

  @Test
  void shouldPreferVariablesThatAreNotEmpty() {
    String compose =
        "\nservices:\n  one:\n    restart: always\n    image: ${A:-a}/one:${B:-1}\n"
            + "  two:\n    image: two:1\n";
    ComposeImageResolver images = new ComposeImageResolver(compose, Map.of("A", "b", "B", ""));

    assertThat(images.image("one")).isEqualTo("b/one:1");
    assertThat(images.image("two")).isEqualTo("two:1");
    assertThatThrownBy(() -> images.image("three")).hasMessageContaining("three");
  }
}
