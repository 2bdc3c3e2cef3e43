/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LoopSessionTest {
  /** A domain value of a workflow's own. */
  record Findings(int count, String last) {}

  record Found(String what) implements SessionEvent {}

  private static final SessionSlice<Findings> FINDINGS =
      slice(2, Map.of(1, json -> ((ObjectNode) json).put("last", "unknown")));

  private static SessionSlice<Findings> slice(
      int version,
      Map<Integer, java.util.function.UnaryOperator<com.fasterxml.jackson.databind.JsonNode>>
          migrations) {
    return new SessionSlice<>(
        "findings",
        version,
        Findings.class,
        new Findings(0, ""),
        (before, event) ->
            event instanceof Found(String what) ? new Findings(before.count() + 1, what) : before,
        migrations);
  }

  private static LoopSession session(SessionSlice<?>... slices) {
    return new LoopSession("s1", Instant.EPOCH, "parent", Map.of("run", "r"), List.of(slices));
  }

  @Test
  void shouldReturnToASnapshot() throws Exception {
    LoopSession session = session(Plan.SLICE, FINDINGS);
    session.dispatch(new Plan.PlanSetUp("fix", List.of("a", "b")));
    session.dispatch(new Found("x"));
    session.addChild("s2");
    String json = session.snapshot().toJson();
    assertThat(session.dispatch(new Found("y"))).containsExactly("findings");
    session.addChild("s3");

    session.rollback(SessionSnapshot.fromJson(json));

    assertThat(session.get(FINDINGS)).isEqualTo(new Findings(1, "x"));
    assertThat(session.get(Plan.SLICE).steps()).hasSize(2);
    assertThat(session.children()).containsExactly("s2");
    assertThat(session.snapshot().toJson()).isEqualTo(json);
    assertThat(session.parent()).isEqualTo("parent");
    assertThat(session.tags()).containsEntry("run", "r");
  }

  @Test
  void shouldMigrateOlderSlicesAndRefuseOthers() throws Exception {
    LoopSession older = session(slice(1, Map.of()));
    older.dispatch(new Found("x"));
    ObjectNode old = (ObjectNode) Json.mapper().readTree(older.snapshot().toJson());
    ((ObjectNode) old.path("slices").path("findings").path("value")).remove("last");
    SessionSnapshot snapshot = SessionSnapshot.fromJson(old.toString());

    LoopSession session = session(FINDINGS);
    session.rollback(snapshot);
    assertThat(session.get(FINDINGS)).isEqualTo(new Findings(1, "unknown"));

    LoopSession without = session(slice(3, Map.of(2, json -> json)));
    assertThatThrownBy(() -> without.rollback(snapshot))
        .isInstanceOf(SessionFileException.class)
        .hasMessageContaining("'findings' has version 1")
        .hasMessageContaining("no migration from 1");
    LoopSession unknown = session(Plan.SLICE);
    assertThatThrownBy(() -> unknown.rollback(snapshot))
        .isInstanceOf(SessionFileException.class)
        .hasMessageContaining("'findings' is unknown");
    assertThatThrownBy(() -> older.rollback(session.snapshot()))
        .isInstanceOf(SessionFileException.class)
        .hasMessageContaining("versions up to 1");
  }

  @Test
  void shouldChangeNothingWhenASnapshotCannotBeRead() throws Exception {
    LoopSession session = session(FINDINGS);
    session.dispatch(new Found("x"));
    String json = session.snapshot().toJson();

    for (String wrong :
        List.of(
            json.replace("\"count\":1", "\"count\":\"many\""), json.replace("\"s1\"", "\"s9\""))) {
      assertThatThrownBy(() -> session.rollback(SessionSnapshot.fromJson(wrong)))
          .isInstanceOf(SessionFileException.class);
    }
    assertThatThrownBy(() -> SessionSnapshot.fromJson(json.substring(0, 30)))
        .isInstanceOf(SessionFileException.class);

    assertThat(session.snapshot().toJson()).isEqualTo(json);
  }
}
