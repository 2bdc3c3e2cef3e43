/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.protocol.grpc.Caller;
import dev.baton.protocol.grpc.Event;
import dev.baton.protocol.grpc.EventsRequest;
import dev.baton.protocol.grpc.GetSnapshotRequest;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.state.RunState;
import dev.baton.store.testing.StoreTest;
import dev.baton.store.testing.StoreTestClient;
import dev.baton.store.testing.TraceBuilder;
import io.quarkus.test.junit.QuarkusTest;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

@QuarkusTest
class EventStreamTest extends StoreTest {

  @Test
  void shouldGiveHistoryThenWhatComesWithoutGapOrDouble() {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created(), trace.assigned(1), trace.started(1));
    Iterator<Event> stream =
        client
            .snapshots()
            .events(EventsRequest.newBuilder().setRun(trace.run()).setFollow(true).build());
    List<Event> seen = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      seen.add(stream.next());
    }

    // More than a page, while the stream is open.
    List<ProducerRecord<String, byte[]>> more = new ArrayList<>();
    for (int i = 0; i < 2500; i++) {
      more.add(trace.completed(1, "step" + i, null));
    }
    log.send(more);
    log.send(trace.ended(1));
    stream.forEachRemaining(seen::add);

    assertThat(seen).extracting(Event::getPosition).isSorted().doesNotHaveDuplicates();
    assertThat(seen.subList(2, seen.size()))
        .extracting(event -> Long.parseLong(event.getId().substring(trace.run().length() + 3)))
        .containsExactlyElementsOf(LongStream.rangeClosed(1, 2502).boxed().toList());
  }

  @Test
  void shouldFollowARunThatIsNotThereYet() {
    TraceBuilder trace = new TraceBuilder();
    var stream = StoreTestClient.beside(() -> client.idsUntilEnd(trace.run()));

    log.send(trace.created(), trace.assigned(1), trace.ended(1));

    assertThat(stream.orTimeout(30, TimeUnit.SECONDS).join()).hasSize(3);
  }

  @Test
  void shouldBeginAfterAPositionAndStopAtTheLimit() {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created(), trace.assigned(1), trace.started(1), trace.ended(1));
    client.idsUntilEnd(trace.run());
    long second = client.events(trace.run(), false).get(1).getPosition();

    List<Event> page = new ArrayList<>();
    client
        .snapshots()
        .events(EventsRequest.newBuilder().setRun(trace.run()).setAfter(second).setLimit(1).build())
        .forEachRemaining(page::add);
    List<Event> rest = new ArrayList<>();
    client
        .snapshots()
        .events(
            EventsRequest.newBuilder().setRun(trace.run()).setAfter(second).setFollow(true).build())
        .forEachRemaining(rest::add);

    assertThat(page).extracting(Event::getId).containsExactly(trace.run() + "/1/1");
    assertThat(rest)
        .extracting(Event::getId)
        .containsExactly(trace.run() + "/1/1", trace.run() + "/1/2");
  }

  @Test
  void shouldNotFallBehindWhatTheReaderHasSeen() {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created(), trace.assigned(1));
    client.until(() -> client.events(trace.run(), false), events -> events.size() == 2);
    var page =
        StoreTestClient.beside(() -> page(trace.run(), trace.run() + "/c/2", trace.run() + "/1/1"));
    var state = StoreTestClient.beside(() -> state(trace.run(), trace.run() + "/1/1"));

    log.send(trace.started(1));

    assertThat(page.orTimeout(30, TimeUnit.SECONDS).join())
        .extracting(Event::getId)
        .contains(trace.run() + "/1/1");
    assertThat(state.orTimeout(30, TimeUnit.SECONDS).join().head().runnerSeq()).isEqualTo(1);
  }

  @Test
  void shouldSayWhenWhatTheReaderHasSeenDoesNotCome() {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created());
    client.until(() -> client.events(trace.run(), false), events -> events.size() == 1);
    String other = new TraceBuilder().run();

    assertThatThrownBy(() -> page(trace.run(), trace.run() + "/7/1"))
        .hasMessageContainingAll("DEADLINE_EXCEEDED", trace.run() + "/7/1");
    assertThatThrownBy(() -> page(trace.run(), "x"))
        .hasMessageContainingAll("INVALID_ARGUMENT", "'x'");
    assertThatThrownBy(() -> page(trace.run(), other + "/1/1"))
        .hasMessageContainingAll("INVALID_ARGUMENT", other + "/1/1", trace.run());
  }

  private List<Event> page(String run, String... seen) {
    EventsRequest request =
        EventsRequest.newBuilder().setRun(run).addAllSeen(List.of(seen)).build();
    List<Event> page = new ArrayList<>();
    client.snapshots().events(request).forEachRemaining(page::add);
    return page;
  }

  private RunState state(String run, String seen) {
    byte[] json =
        client
            .snapshots()
            .getSnapshot(
                GetSnapshotRequest.newBuilder()
                    .setCaller(Caller.newBuilder().setRun(run))
                    .addSeen(seen)
                    .build())
            .getState()
            .toByteArray();
    return Json.read(json, RunState.class);
  }

  @Test
  void shouldSayWhetherMoreFollows() {
    TraceBuilder trace = new TraceBuilder();
    log.send(trace.created(), trace.assigned(1), trace.started(1), trace.ended(1));
    client.idsUntilEnd(trace.run());
    long second = client.events(trace.run(), false).get(1).getPosition();

    assertThat(page(trace, 0, 3)).contains("\"more\":true").doesNotContain("run_completed");
    assertThat(page(trace, 0, 4)).contains("\"more\":false").contains("run_completed");
    assertThat(page(trace, 0, 5)).contains("\"more\":false");
    assertThat(page(trace, second, 1)).contains("\"more\":true");
    assertThat(page(trace, second, 2)).contains("\"more\":false");
  }

  private String page(TraceBuilder trace, long after, int limit) {
    return client.get("/runs/" + trace.run() + "/events?after=" + after + "&limit=" + limit).body();
  }
}
