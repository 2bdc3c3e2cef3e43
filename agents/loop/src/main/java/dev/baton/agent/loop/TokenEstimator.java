/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop;

import dev.baton.agent.loop.session.LoopConversation;
import dev.baton.agent.loop.session.SessionRow;
import java.util.List;

/**
 * Estimates the tokens of the next request of a conversation from its rows alone, so that a resumed
 * loop comes to the same number. What the endpoint has counted is exact; the rest counts by its
 * characters, rather too high than too low.
 */
final class TokenEstimator {
  private static final int CHARACTERS_PER_TOKEN = 3;

  /** An image of the largest size that models do not shrink. */
  private static final long IMAGE = 1_600;

  private TokenEstimator() {}

  /**
   * @param fixed characters of system prompt and tools
   */
  static long next(LoopConversation conversation, int fixed) {
    List<SessionRow> rows = conversation.rows();
    int newest = conversation.newestAnswerIndex();
    if (newest >= 0
        && !conversation.isJustCompacted()
        && rows.get(newest) instanceof SessionRow.Answer answer
        && answer.tokens() > 0) {
      return answer.tokens() + of(rows.subList(newest + 1, rows.size()));
    }
    return fixed / CHARACTERS_PER_TOKEN + of(conversation.requestRows());
  }

  static long of(List<SessionRow> rows) {
    return rows.stream().mapToLong(TokenEstimator::of).sum();
  }

  private static long of(SessionRow row) {
    return switch (row) {
      case SessionRow.UserText text -> tokens(text.text().length()) + IMAGE * text.images().size();
      case SessionRow.Answer answer ->
          tokens(answer.text().length())
              + answer.calls().stream()
                  .mapToLong(call -> tokens(call.name().length() + call.arguments().length()))
                  .sum();
      case SessionRow.CallResult result -> tokens(result.text().length());
      case SessionRow.Compacted compacted -> tokens(compacted.summary().length());
      case SessionRow.Opened opened -> 0;
      case SessionRow.ChildStarted child -> 0;
    };
  }

  private static long tokens(int characters) {
    return (characters + CHARACTERS_PER_TOKEN - 1L) / CHARACTERS_PER_TOKEN;
  }
}
