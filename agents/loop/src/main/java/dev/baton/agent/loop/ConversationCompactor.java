/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import dev.baton.agent.loop.model.LoopModelCaller;
import dev.baton.agent.loop.model.LoopModelException;
import dev.baton.agent.loop.model.LoopModelFactory;
import dev.baton.agent.loop.session.LoopConversation;
import dev.baton.agent.loop.session.SessionRow;
import dev.baton.protocol.json.TextShortener;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Replaces the older messages of a conversation by a summary of the model before they fill its
 * window. The messages of the user stay word for word, and so does the plan, which is in the system
 * prompt. When to do so follows from the rows alone: a resumed loop requests the same summary,
 * which the gateway has in its journal. For one thread.
 */
final class ConversationCompactor {
  /** What the model is sent at the end of the conversation that it summarizes. */
  static final String REQUEST =
      """
      The conversation is close to the limit of its length. Your next answer replaces it: what you \
      do not write down is lost. The task, the plan with its notes and the kept values stay as they \
      are; do not repeat them. Call no tool. Write for yourself:

      1. What is done, with the names of all files that you have read or changed, and what is in \
      them that you still need.
      2. What you have found out: causes, decisions with their reasons, commands that work, and \
      attempts that failed.
      3. What you were about to do, and the next step in detail.""";

  /** The summary of a model that gives none. */
  private static final String NONE =
      "The summary is missing. Read the plan and the files before you continue.";

  /** The newest answer stays when it has, with its results, at most this part of the limit. */
  private static final int KEPT_PART = 4;

  /** The most characters of a result in the request of a summary that would be too long. */
  private static final int MAX_RESULT = 2_000;

  private final LoopSettings settings;
  private final LoopConversation conversation;
  private final LoopModelCaller model;
  private final LoopChannel channel;

  ConversationCompactor(
      LoopSettings settings,
      LoopConversation conversation,
      LoopModelCaller model,
      LoopChannel channel) {
    this.settings = settings;
    this.conversation = conversation;
    this.model = model;
    this.channel = channel;
  }

  /**
   * The tokens from which a conversation is replaced: the share of the window that the settings
   * name, less where the rest has no place for an answer, but never under half of the window.
   */
  private long limit() {
    long share = (long) (settings.window() * settings.compactAt());
    return Math.min(share, Math.max(settings.window() / 2, withoutAnswer()));
  }

  private long withoutAnswer() {
    return settings.window() - LoopModelFactory.MAX_OUTPUT;
  }

  /**
   * Replaces older messages when the next request would pass the limit. All calls have results.
   *
   * @param system prompt of the next request
   * @throws LoopModelException when the model gives no summary; nothing is replaced then
   */
  void compact(String system) throws LoopModelException, IOException, InterruptedException {
    int newest = conversation.newestAnswerIndex();
    if (newest < 0 || conversation.isJustCompacted()) {
      return;
    }
    long tokens = TokenEstimator.next(conversation, system.length() + model.toolsLength());
    if (tokens < limit()) {
      return;
    }
    List<SessionRow> request = new ArrayList<>(conversation.requestRows());
    if (tokens > withoutAnswer()) {
      request.replaceAll(ConversationCompactor::shortened);
    }
    request.add(SessionRow.UserText.of(REQUEST));
    String summary = model.summarize(system, request).text().strip();
    List<SessionRow> rows = conversation.rows();
    long kept = TokenEstimator.of(rows.subList(newest, rows.size()));
    conversation.compact(
        summary.isEmpty() ? NONE : summary,
        kept <= limit() / KEPT_PART ? newest : rows.size(),
        tokens);
    channel.compacted(conversation.session().id(), tokens);
  }

  private static SessionRow shortened(SessionRow row) {
    if (!(row instanceof SessionRow.CallResult result) || result.text().length() <= MAX_RESULT) {
      return row;
    }
    return new SessionRow.CallResult(
        result.call(),
        result.tool(),
        TextShortener.shorten(result.text(), MAX_RESULT)
            + "\n[… %d characters left out …]".formatted(result.text().length() - MAX_RESULT),
        result.failed(),
        result.slices());
  }
}
