/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store.snapshot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.IntNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunState;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.store.events.StoredEventRepository;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.TraceBuilder;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

@QuarkusTest
class FoldedStateCacheTest extends StoreTest {
  private static final int STEPS = FoldedStateCache.WORTH;

  @Inject StoredEventRepository events;
  @Inject FoldMemoryBudget room;

  private final FoldedStateCache kept = new FoldedStateCache();
  private final TraceBuilder trace = new TraceBuilder();

  @Test
  void shouldGoOnFromWhatIsKept() {
    begin();
    FoldedState first = fold(Long.MAX_VALUE, kept);
    assertThat(found().position()).isEqualTo(first.position());

    log.send(trace.completed(1, "more", null));
    log.send(trace.ended(1));
    awaitEvents(STEPS + 5);

    FoldedState second = fold(Long.MAX_VALUE, kept);
    assertThat(second.state()).isEqualTo(fold(Long.MAX_VALUE, new FoldedStateCache()).state());
    assertThat(second.position()).isGreaterThan(first.position());
    // The state as of an earlier event is folded without the cache.
    assertThat(fold(first.position() - 1, kept).position()).isEqualTo(first.position() - 1);

    kept.forget(trace.run());
    kept.keep(
        new FoldedStateCache.Kept(RunState.empty(trace.run()), second.position(), 2, Set.of()));
    assertThat(Json.read(fold(Long.MAX_VALUE, kept).state(), RunState.class).steps())
        .as("the cached state is reused, not folded again")
        .isEmpty();
  }

  @Test
  void shouldFoldAllAgainWhenTheRunGoesBack() {
    begin();
    fold(Long.MAX_VALUE, kept);
    log.send(trace.runner(1, new TraceEvent.RunPaused(null)));
    log.send(
        trace.control(
            new TraceEvent.ResumeRequested(
                null, "step0", null, Map.of(), List.of(), null, List.of(), null)));
    log.send(trace.assigned(2));
    awaitEvents(STEPS + 6);

    RunState state = Json.read(fold(Long.MAX_VALUE, kept).state(), RunState.class);
    assertThat(state.steps()).isEmpty();
    assertThat(found().returns()).hasSize(1);
  }

  @Test
  void shouldKeepABoundedNumberOfBytesAndNoStateWithAGap() {
    for (int i = 0; i < 5; i++) {
      kept.keep(new FoldedStateCache.Kept(RunState.empty("run" + i), 1, 3 << 20, Set.of()));
    }
    assertThat(kept.find("run2", 1, Set.of())).isEmpty();
    assertThat(kept.find("run3", 1, Set.of())).isPresent();
    assertThat(kept.find("run4", 1, Set.of())).isPresent();
    assertThat(kept.find("run4", 0, Set.of())).isEmpty();
    kept.keep(new FoldedStateCache.Kept(RunState.empty("large"), 1, 5 << 20, Set.of()));
    assertThat(kept.find("large", 1, Set.of())).isEmpty();
  }

  private void begin() {
    List<ProducerRecord<String, byte[]>> all = new ArrayList<>();
    all.add(trace.created());
    all.add(trace.assigned(1));
    all.add(trace.started(1));
    for (int i = 0; i < STEPS; i++) {
      all.add(trace.completedWith(1, "step" + i, new Output.Inline(IntNode.valueOf(i))));
    }
    log.send(all);
    awaitEvents(STEPS + 3);
  }

  private void awaitEvents(int number) {
    client.until(
        () ->
            events
                .page(trace.run(), 0, Long.MAX_VALUE, StoredEventRepository.PAGE)
                .await()
                .indefinitely(),
        page -> page.events().size() == number);
  }

  private FoldedState fold(long upTo, FoldedStateCache states) {
    return new RunFoldTask(
            events, room, states, trace.run(), upTo, fork -> Uni.createFrom().nullItem())
        .fold()
        .await()
        .indefinitely();
  }

  private FoldedStateCache.Kept found() {
    return kept.find(trace.run(), Long.MAX_VALUE, returns()).orElseThrow();
  }

  private Set<String> returns() {
    return events.control(trace.run()).await().indefinitely().stream()
        .flatMap(event -> event.typed().stream())
        .filter(event -> event.event() instanceof TraceEvent.ResumeRequested)
        .map(event -> event.id().toString())
        .collect(Collectors.toSet());
  }
}
