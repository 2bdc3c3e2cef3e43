/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.session;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.agent.process.PromptImages.PromptImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A conversation with its session, and the file that both are in: every change is on disk before it
 * counts. Requests are built from the rows alone, so that a resumed conversation sends the same
 * ones. Not thread-safe.
 */
public final class LoopConversation implements AutoCloseable {
  /** The slices of every session. */
  public static final List<SessionSlice<?>> SLICES = List.of(Plan.SLICE, DomainValues.SLICE);

  /** What the loop writes in the user's place after an answer that was cut off. */
  private static final String CUT_OFF =
      "Your answer ended at its length limit. Continue where it ended.";

  private final LoopSession session;
  private final LoopSessionFile file;
  private final List<SessionRow> rows;

  private LoopConversation(LoopSession session, LoopSessionFile file, List<SessionRow> rows) {
    this.session = session;
    this.file = file;
    this.rows = new ArrayList<>(rows);
  }

  /** The file of a session below a home. */
  public static Path file(Path home, String id) {
    return home.resolve("sessions").resolve(id + ".jsonl");
  }

  /**
   * Begins a session with its first message.
   *
   * @param parent id of the session that starts this one; null for none
   * @param images that the message begins with
   */
  public static LoopConversation begin(
      Path home, String id, @Nullable String parent, String prompt, List<PromptImage> images)
      throws IOException {
    Path path = file(home, id);
    Files.createDirectories(home.resolve("sessions"));
    Instant now = Instant.now();
    LoopConversation conversation =
        new LoopConversation(
            new LoopSession(id, now, parent, Map.of(), SLICES),
            LoopSessionFile.create(path),
            List.of());
    conversation.add(new SessionRow.Opened(LoopSessionFile.FORMAT, id, now, parent, Map.of()));
    conversation.addUserText(prompt, images);
    return conversation;
  }

  /**
   * Opens a session.
   *
   * @throws SessionFileException when it cannot be continued; the message names the reason
   */
  public static LoopConversation open(Path home, String id)
      throws SessionFileException, IOException {
    Path path = file(home, id);
    List<SessionRow> rows = LoopSessionFile.read(path, id);
    LoopSession session = replay(rows);
    return new LoopConversation(session, LoopSessionFile.open(path, rows), rows);
  }

  /**
   * Gives a session another id. Repeating it has no effect.
   *
   * @throws SessionFileException when its file is missing or damaged
   */
  public static void rename(Path home, String from, String to)
      throws SessionFileException, IOException {
    Path renamed = file(home, to);
    if (Files.exists(renamed)) {
      return;
    }
    List<SessionRow> rows = LoopSessionFile.read(file(home, from), from);
    Path part = renamed.resolveSibling(renamed.getFileName() + ".part");
    Files.deleteIfExists(part);
    try (LoopSessionFile copy = LoopSessionFile.create(part)) {
      for (SessionRow row : rows) {
        copy.append(
            row instanceof SessionRow.Opened opened
                ? new SessionRow.Opened(
                    opened.format(), to, opened.created(), opened.parent(), opened.tags())
                : row);
      }
    }
    Files.move(part, renamed, StandardCopyOption.ATOMIC_MOVE);
    Files.delete(file(home, from));
  }

  /**
   * Checks whether a session can be continued, as {@link #open} does.
   *
   * @throws SessionFileException when it cannot
   */
  public static void check(Path home, String id) throws SessionFileException, IOException {
    replay(LoopSessionFile.read(file(home, id), id));
  }

  private static LoopSession replay(List<SessionRow> rows) throws SessionFileException {
    if (!(rows.getFirst() instanceof SessionRow.Opened opened)
        || rows.size() < 2
        || !(rows.get(1) instanceof SessionRow.UserText)) {
      throw new SessionFileException("its file contains no prompt");
    }
    LoopSession session =
        new LoopSession(opened.id(), opened.created(), opened.parent(), opened.tags(), SLICES);
    for (int i = 0; i < rows.size(); i++) {
      switch (rows.get(i)) {
        case SessionRow.CallResult result -> session.restore(result.slices());
        case SessionRow.ChildStarted child -> session.addChild(child.session());
        case SessionRow.Compacted compacted -> {
          if (compacted.replaced() < 2 || compacted.replaced() > i) {
            throw new SessionFileException(
                "row %d of its file replaces %d rows; 2 to %d are possible"
                    .formatted(i + 1, compacted.replaced(), i));
          }
        }
        case SessionRow.Opened row -> {}
        case SessionRow.UserText row -> {}
        case SessionRow.Answer row -> {}
      }
    }
    return session;
  }

  public LoopSession session() {
    return session;
  }

  /** All rows, in order. */
  public List<SessionRow> rows() {
    return List.copyOf(rows);
  }

  /**
   * The rows of the next request: all, or since a compaction the messages of the user, the summary,
   * and the rows that it does not replace.
   */
  public List<SessionRow> requestRows() {
    int at = newestCompaction();
    if (at < 0 || !(rows.get(at) instanceof SessionRow.Compacted compacted)) {
      return rows();
    }
    List<SessionRow> request = new ArrayList<>();
    rows.subList(0, compacted.replaced()).stream()
        .filter(row -> row instanceof SessionRow.UserText text && !text.text().equals(CUT_OFF))
        .forEach(request::add);
    request.add(compacted);
    rows.subList(compacted.replaced(), rows.size()).stream()
        .filter(row -> !(row instanceof SessionRow.Compacted))
        .forEach(request::add);
    return request;
  }

  private int newestCompaction() {
    for (int i = rows.size() - 1; i >= 0; i--) {
      if (rows.get(i) instanceof SessionRow.Compacted) {
        return i;
      }
    }
    return -1;
  }

  /** The index of the newest answer; -1 before the first one. */
  public int newestAnswerIndex() {
    for (int i = rows.size() - 1; i >= 0; i--) {
      if (rows.get(i) instanceof SessionRow.Answer) {
        return i;
      }
    }
    return -1;
  }

  /** Whether no answer has followed the newest compaction. */
  public boolean isJustCompacted() {
    return newestCompaction() > newestAnswerIndex();
  }

  /**
   * Replaces the first rows by a summary in requests.
   *
   * @param replaced number of rows, from the first
   */
  public void compact(String summary, int replaced, long tokensBefore) throws IOException {
    add(new SessionRow.Compacted(summary, replaced, tokensBefore));
  }

  /** The session that a call of the newest answer has started; null for none. */
  public @Nullable String child(String call) {
    for (SessionRow row : rows.subList(Math.max(0, newestAnswerIndex()), rows.size())) {
      if (row instanceof SessionRow.ChildStarted child && child.call().equals(call)) {
        return child.session();
      }
    }
    return null;
  }

  /** Registers a session that a call starts. */
  public void addChild(String call, String child) throws IOException {
    add(new SessionRow.ChildStarted(call, child));
    session.addChild(child);
  }

  public void addUserText(String text) throws IOException {
    addUserText(text, List.of());
  }

  /**
   * @param images that the message begins with
   */
  public void addUserText(String text, List<PromptImage> images) throws IOException {
    add(new SessionRow.UserText(text, images));
  }

  /** Requests the rest of an answer that was cut off. */
  public void continueAnswer() throws IOException {
    addUserText(CUT_OFF);
  }

  public void addAnswer(SessionRow.Answer answer) throws IOException {
    add(answer);
  }

  /**
   * Applies the events of a call and adds its result. When the result cannot be written, the
   * session is as before.
   */
  public void addResult(
      SessionRow.ToolCall call, String text, boolean failed, List<SessionEvent> events)
      throws IOException {
    SessionSnapshot before = session.snapshot();
    Set<String> changed = new HashSet<>();
    events.forEach(event -> changed.addAll(session.dispatch(event)));
    Map<String, JsonNode> slices = new TreeMap<>();
    changed.forEach(name -> slices.put(name, session.json(name)));
    try {
      add(new SessionRow.CallResult(call.id(), call.name(), text, failed, slices));
    } catch (IOException e) {
      try {
        session.rollback(before);
      } catch (SessionFileException impossible) {
        e.addSuppressed(impossible);
      }
      throw e;
    }
  }

  private void add(SessionRow row) throws IOException {
    file.append(row);
    rows.add(row);
  }

  /** The newest answer, unless a message of the user has followed it; null where there is none. */
  public SessionRow.@Nullable Answer newestAnswer() {
    for (int i = rows.size() - 1; i >= 0; i--) {
      if (rows.get(i) instanceof SessionRow.Answer answer) {
        return answer;
      }
      if (rows.get(i) instanceof SessionRow.UserText) {
        return null;
      }
    }
    return null;
  }

  /** The calls of the newest answer that have no result yet. */
  public List<SessionRow.ToolCall> openCalls() {
    SessionRow.Answer answer = newestAnswer();
    if (answer == null) {
      return List.of();
    }
    Set<String> ended = new HashSet<>();
    rows.subList(newestAnswerIndex(), rows.size()).stream()
        .filter(SessionRow.CallResult.class::isInstance)
        .forEach(row -> ended.add(((SessionRow.CallResult) row).call()));
    return answer.calls().stream().filter(call -> !ended.contains(call.id())).toList();
  }

  /** The number of answers of the session. */
  public int answers() {
    return (int) rows.stream().filter(SessionRow.Answer.class::isInstance).count();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
