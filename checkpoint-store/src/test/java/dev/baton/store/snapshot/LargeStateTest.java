/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.trace.Output;
import dev.baton.store.events.StoredEventRepository;
import dev.baton.store.failure.StoreRequestException;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TraceBuilder;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

@QuarkusTest
class LargeStateTest extends StoreTest {
  private static final int STEPS = 150;
  private static final int BYTES = 60_000;

  @Inject StoredEventRepository events;

  @Test
  void shouldReadByBytesAndRefuseWhatIsTooLarge() {
    TraceBuilder trace = new TraceBuilder();
    List<ProducerRecord<String, byte[]>> all = new ArrayList<>();
    all.add(trace.created());
    all.add(trace.assigned(1));
    all.add(trace.started(1));
    for (int i = 0; i < STEPS; i++) {
      // Every second event replaces the output of the previous one.
      all.add(trace.completedWith(1, "step" + i / 2, large()));
    }
    log.send(all);
    log.send(trace.ended(1));
    assertThat(client.idsUntilEnd(trace.run())).hasSize(STEPS + 4);

    StoredEventRepository.Page first =
        events.page(trace.run(), 0, Long.MAX_VALUE, 1000).await().indefinitely();
    assertThat(first.last()).isFalse();
    assertThat(first.events().stream().mapToLong(event -> event.data().length).sum())
        .isBetween(
            (long) StoredEventRepository.PAGE_BYTES, StoredEventRepository.PAGE_BYTES + 2L * BYTES);
    assertThat(client.get("/runs/" + trace.run() + "/events?limit=1000").body())
        .contains("\"more\":true");

    FoldMemoryBudget enough = new FoldMemoryBudget(5 << 20);
    FoldedState folded = fold(trace.run(), enough);
    assertThat(Json.read(folded.state(), RunState.class).steps()).hasSize(STEPS / 2);
    assertThat(folded.state().length).isBetween(STEPS / 2 * BYTES, 5 << 20);
    assertThat(enough.taken()).isZero();

    FoldMemoryBudget small = new FoldMemoryBudget(1 << 20);
    assertThatThrownBy(() -> fold(trace.run(), small))
        .isInstanceOfSatisfying(
            StoreRequestException.class,
            e -> assertThat(e.kind()).isEqualTo(StoreRequestException.Kind.EXHAUSTED))
        .hasMessageContaining(trace.run())
        .hasMessageContaining("baton.snapshot.max-bytes is 1048576");
    assertThat(small.taken()).isZero();

    FoldMemoryBudget.Share other = enough.share("other");
    other.grow(4 << 20);
    assertThatThrownBy(() -> fold(trace.run(), enough)).hasMessageContaining("retry soon");
    other.release();
    assertThat(enough.taken()).isZero();
  }

  private FoldedState fold(String run, FoldMemoryBudget room) {
    return new RunFoldTask(
            events,
            room,
            new FoldedStateCache(),
            run,
            Long.MAX_VALUE,
            fork -> Uni.createFrom().nullItem())
        .fold()
        .await()
        .indefinitely();
  }

  private static Output large() {
    return new Output.Inline(TextNode.valueOf("x".repeat(BYTES)));
  }
}
