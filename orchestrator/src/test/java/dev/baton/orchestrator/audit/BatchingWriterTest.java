/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.orchestrator.problem.ProblemException;
import io.smallrye.mutiny.Uni;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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
            },
            String::length);

    assertThatThrownBy(() -> writer.write("bad").await().atMost(SOON))
        .hasMessageContaining("not a record");
    writer.write("good").await().atMost(SOON);

    assertThat(written).containsExactly("good");
  }

  @Test
  void shouldBoundWhatWaitsInBytes() {
    CompletableFuture<Void> first = new CompletableFuture<>();
    List<Integer> batches = new ArrayList<>();
    BatchingWriter<Integer> writer =
        new BatchingWriter<>(
            items -> {
              batches.add(items.size());
              return Uni.createFrom().completionStage(first);
            },
            mebibytes -> (long) mebibytes << 20);
    List<CompletableFuture<Void>> written = new ArrayList<>();
    // One is in the first batch, and 32 MiB wait.
    for (int item = 0; item < 17; item++) {
      written.add(writer.write(2).subscribeAsCompletionStage());
    }

    assertThatThrownBy(() -> writer.write(2).await().atMost(SOON))
        .isInstanceOf(ProblemException.class)
        .hasMessageContaining("16 records of the audit log wait");
    first.complete(null);
    CompletableFuture.allOf(written.toArray(CompletableFuture<?>[]::new)).join();
    writer.write(2).await().atMost(SOON);

    assertThat(batches).containsExactly(1, 2, 2, 2, 2, 2, 2, 2, 2, 1);
  }
}
