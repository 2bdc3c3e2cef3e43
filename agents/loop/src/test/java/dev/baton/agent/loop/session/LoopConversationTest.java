/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.baton.agent.loop.session.SessionRow.ToolCall;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LoopConversationTest {
  private static final String ID = "0b7bd7c6-4f5e-4f55-8cf4-0f6f2f0a0001";
  private static final ToolCall A = new ToolCall("a", "shell", "{\"command\":\"x\"}");
  private static final ToolCall B = new ToolCall("b", "planning_setup_plan", "{}");

  @TempDir
  @SuppressWarnings("NullAway.Init")
  Path home;

  private Path file() {
    return LoopConversation.file(home, ID);
  }

  private LoopConversation written() throws IOException {
    LoopConversation conversation =
        LoopConversation.begin(home, ID, null, "do ä\u2028it\n", List.of());
    conversation.addAnswer(new SessionRow.Answer("first", List.of(A, B), false, 0));
    conversation.addResult(A, "exit code 0\n\ufffd", false, List.of());
    return conversation;
  }

  @Test
  void shouldContinueWhereTheRowsEnd() throws Exception {
    List<SessionRow> rows;
    try (LoopConversation conversation = written()) {
      assertThat(conversation.openCalls()).containsExactly(B);
      conversation.addResult(
          B, "plan set", false, List.of(new Plan.PlanSetUp("fix", List.of("look"))));
      assertThat(conversation.openCalls()).isEmpty();
      rows = conversation.rows();
    }

    try (LoopConversation again = LoopConversation.open(home, ID)) {
      assertThat(again.rows()).isEqualTo(rows);
      assertThat(again.openCalls()).isEmpty();
      assertThat(again.session().get(Plan.SLICE).objective()).isEqualTo("fix");
      again.addAnswer(new SessionRow.Answer("done", List.of(), false, 0));
    }
    try (LoopConversation again = LoopConversation.open(home, ID)) {
      assertThat(again.newestAnswer())
          .isEqualTo(new SessionRow.Answer("done", List.of(), false, 0));
      assertThat(again.answers()).isEqualTo(2);
      again.addUserText("more");
      assertThat(again.newestAnswer()).isNull();
    }
  }

  @Test
  void shouldContinueUnderAnotherId() throws Exception {
    String other = ID.replace(ID.charAt(0), ID.charAt(0) == 'a' ? 'b' : 'a');
    List<SessionRow> rows;
    try (LoopConversation conversation = written()) {
      rows = conversation.rows();
    }

    LoopConversation.rename(home, ID, other);
    LoopConversation.rename(home, ID, other);

    assertThat(file()).doesNotExist();
    try (LoopConversation again = LoopConversation.open(home, other)) {
      assertThat(again.session().id()).isEqualTo(other);
      assertThat(again.rows().subList(1, rows.size())).isEqualTo(rows.subList(1, rows.size()));
      again.addUserText("more");
    }
    LoopConversation.check(home, other);
    assertThatThrownBy(() -> LoopConversation.rename(home, ID, ID.replace('0', '1') + "0"))
        .isInstanceOf(SessionFileException.class)
        .hasMessageContaining("missing");
  }

  @Test
  void shouldReplaceOlderRowsInRequests() throws Exception {
    SessionRow.Answer newest = new SessionRow.Answer("second", List.of(), true, 500);
    try (LoopConversation conversation = written()) {
      conversation.addResult(B, "plan set", false, List.of());
      conversation.addUserText("and more");
      conversation.addAnswer(new SessionRow.Answer("cut off", List.of(), true, 0));
      conversation.continueAnswer();
      conversation.addAnswer(newest);
      int rows = conversation.rows().size();

      conversation.compact("what was done", conversation.newestAnswerIndex(), 90_000);

      assertThat(conversation.rows()).as("nothing is lost").hasSize(rows + 1);
      assertThat(conversation.isJustCompacted()).isTrue();
      assertThat(conversation.newestAnswer()).isEqualTo(newest);
      conversation.continueAnswer();
    }

    try (LoopConversation again = LoopConversation.open(home, ID)) {
      assertThat(again.requestRows())
          .satisfiesExactly(
              task -> assertThat(task).isEqualTo(SessionRow.UserText.of("do ä\u2028it\n")),
              more -> assertThat(more).isEqualTo(SessionRow.UserText.of("and more")),
              summary ->
                  assertThat(summary)
                      .isEqualTo(new SessionRow.Compacted("what was done", 8, 90_000)),
              kept -> assertThat(kept).isEqualTo(newest),
              rest -> assertThat(rest.toString()).contains("Continue where it ended"));
      assertThat(again.answers()).isEqualTo(3);
      again.addAnswer(new SessionRow.Answer("third", List.of(A), false, 0));
      assertThat(again.isJustCompacted()).isFalse();
      assertThat(again.openCalls()).containsExactly(A);
    }
  }

  @Test
  void shouldKeepWhichCallHasStartedAChild() throws Exception {
    String child = ID.replace('1', '3');
    try (LoopConversation conversation = written()) {
      conversation.addChild("b", child);
      assertThat(conversation.openCalls()).containsExactly(B);
    }

    try (LoopConversation again = LoopConversation.open(home, ID)) {
      assertThat(again.session().children()).containsExactly(child);
      assertThat(again.child("b")).isEqualTo(child);
      assertThat(again.child("a")).isNull();
      again.addResult(B, "done", false, List.of());
      again.addAnswer(new SessionRow.Answer("", List.of(B), false, 0));
      assertThat(again.child("b")).as("another call with the same id").isNull();
    }
  }

  @Test
  void shouldRefuseAnyDamage() throws Exception {
    written().close();
    byte[] whole = Files.readAllBytes(file());
    List<String> lines = Files.readAllLines(file());

    for (int length = 0; length < whole.length; length++) {
      Files.write(file(), java.util.Arrays.copyOf(whole, length));
      boolean onlyWholeRows = length > 0 && whole[length - 1] == '\n';
      if (!onlyWholeRows || length <= lines.getFirst().length() + 1) {
        assertRefused("its file");
      }
    }
    for (int at = 0; at < whole.length; at++) {
      byte[] changed = whole.clone();
      changed[at] ^= 1;
      Files.write(file(), changed);
      assertThatThrownBy(() -> LoopConversation.check(home, ID))
          .as("a changed byte at " + at)
          .isInstanceOf(SessionFileException.class);
    }
    List<String> missing = new ArrayList<>(lines);
    missing.remove(2);
    Files.write(file(), missing);
    assertRefused("line 3 of its file", "row 4 is in its place");
    Files.writeString(file(), "garbage\n");
    assertRefused("line 1", "not a row");
    Files.delete(file());
    assertRefused("is missing");
  }

  @Test
  void shouldRefuseOtherFormatsAndSessions() throws Exception {
    Files.createDirectories(file().getParent());
    try (LoopSessionFile other = LoopSessionFile.create(file())) {
      other.append(new SessionRow.Opened(2, ID, java.time.Instant.EPOCH, null, java.util.Map.of()));
    }
    assertRefused("has format 2, this program needs 1");
    Files.delete(file());
    written().close();
    Path stolen = LoopConversation.file(home, ID.replace('1', '2'));
    Files.copy(file(), stolen);
    assertThatThrownBy(() -> LoopConversation.check(home, ID.replace('1', '2')))
        .isInstanceOf(SessionFileException.class)
        .hasMessageContaining("is of session " + ID);
  }

  @Test
  void shouldEndWhenAnotherProcessWritesTheFile() throws Exception {
    try (LoopConversation conversation = written()) {
      Files.writeString(file(), "x", StandardCharsets.UTF_8, StandardOpenOption.APPEND);

      assertThatThrownBy(
              () ->
                  conversation.addResult(
                      B, "plan set", false, List.of(new Plan.PlanSetUp("fix", List.of("look")))))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("another process writes it");

      assertThat(conversation.session().get(Plan.SLICE)).isEqualTo(Plan.NONE);
      assertThat(conversation.openCalls()).containsExactly(B);
    }
  }

  private void assertRefused(String... texts) {
    assertThatThrownBy(() -> LoopConversation.check(home, ID))
        .isInstanceOf(SessionFileException.class)
        .message()
        .contains(texts);
  }
}
