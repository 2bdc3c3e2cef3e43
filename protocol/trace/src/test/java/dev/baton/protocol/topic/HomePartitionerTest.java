/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HomePartitionerTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 8, 12, 1000})
  void shouldChooseAsTheJavaClientDoes(int partitions) {
    for (int i = 0; i < 100; i++) {
      String run = "01m8b9z4gv86fdr6fdn8c94" + (100 + i);
      assertThat(HomePartitioner.choose(run, partitions))
          .isEqualTo(
              BuiltInPartitioner.partitionForKey(run.getBytes(StandardCharsets.UTF_8), partitions))
          .isBetween(0, partitions - 1);
    }
  }

  @Test
  void shouldRefuseATopicWithoutPartitions() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> HomePartitioner.choose("run", 0))
        .withMessageContaining("not 0");
  }
}
