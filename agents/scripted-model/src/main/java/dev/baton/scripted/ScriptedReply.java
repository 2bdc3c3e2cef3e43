/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.scripted;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One scripted answer. Immutable; the methods return changed copies.
 *
 * @param parts in order
 * @param usage tokens
 * @param before delay before the status
 * @param between delay between two events
 * @param fault what goes wrong
 */
public record ScriptedReply(
    List<ReplyPart> parts, ReplyUsage usage, Duration before, Duration between, ReplyFault fault) {
  public ScriptedReply {
    parts = List.copyOf(parts);
  }

  /**
   * Tokens of an answer.
   *
   * @param input without cached ones
   * @param cached read from the cache
   * @param written to the cache; Anthropic only
   * @param output with reasoning
   * @param reasoning part of the output; OpenAI only
   */
  public record ReplyUsage(long input, long cached, long written, long output, long reasoning) {}

  /** An answer without parts. */
  public static ScriptedReply empty() {
    return new ScriptedReply(
        List.of(),
        new ReplyUsage(100, 0, 0, 10, 0),
        Duration.ZERO,
        Duration.ZERO,
        new ReplyFault.None());
  }

  public static ScriptedReply text(String text) {
    return empty().with(new ReplyPart.Text(text));
  }

  public static ScriptedReply call(String name, String input) {
    return empty().with(new ReplyPart.ToolCall(name, input));
  }

  public static ScriptedReply status(int status) {
    return empty().failing(new ReplyFault.ErrorStatus(status, "", "scripted error"));
  }

  public ScriptedReply with(ReplyPart part) {
    List<ReplyPart> more = new ArrayList<>(parts);
    more.add(part);
    return new ScriptedReply(more, usage, before, between, fault);
  }

  public ScriptedReply usage(long input, long cached, long written, long output, long reasoning) {
    return new ScriptedReply(
        parts, new ReplyUsage(input, cached, written, output, reasoning), before, between, fault);
  }

  public ScriptedReply after(Duration delay) {
    return new ScriptedReply(parts, usage, delay, between, fault);
  }

  public ScriptedReply slowly(Duration delay) {
    return new ScriptedReply(parts, usage, before, delay, fault);
  }

  public ScriptedReply failing(ReplyFault wrong) {
    return new ScriptedReply(parts, usage, before, between, wrong);
  }
}
