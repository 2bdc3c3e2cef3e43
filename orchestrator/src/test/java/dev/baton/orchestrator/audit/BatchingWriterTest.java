/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class BatchingWriterTest {
  private static final Duration SOON = Duration.ofSeconds(10);

  @Test
  void shouldContinueAfterAStatementThatFailsBeforeItStarts() {
    List<String> written = new ArrayList<>();
    BatchingWriter<String> writer =
        new BatchingWriter<>(
            items -> {
              if (items.contains("bad")) {
                throw new IllegalStateException("not a record");
              }
              written.addAll(items);
              return Uni.createFrom().voidItem();
            });

    assertThatThrownBy(() -> writer.write("bad").await().atMost(SOON))
        .hasMessageContaining("not a record");
    writer.write("good").await().atMost(SOON);

    assertThat(written).containsExactly("good");
  }
}
