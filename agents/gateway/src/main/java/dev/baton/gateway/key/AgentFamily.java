/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway.key;

import dev.baton.gateway.boundary.SubAgentTools;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The families of agents, each with the texts that it adds to a conversation by itself: notes on
 * the environment, reminders, and the text with which it continues after a resume.
 */
public enum AgentFamily implements SubAgentTools {
  /**
   * Continued with a prompt, it puts an answer of its own between the interrupted turn and the
   * prompt.
   */
  CLAUDE(
      List.of("(?s)\\s*Continue from where you left off\\.\\s*"),
      true,
      List.of(),
      List.of("\\s*No response requested\\.\\s*")),
  /** A turn on its screen is continued with a prompt. */
  CODEX(
      List.of(
          "(?s)\\s*Continue from where you left off\\.\\s*",
          "(?s)\\s*<(environment_context|user_instructions|turn_aborted|permissions instructions|"
              + "collaboration_mode|subagent_notification)>.*",
          "(?s)\\s*# AGENTS\\.md instructions for .*"),
      false,
      List.of("(?m)^(Wall time|Chunk ID|Original token count): [^\\n]*\\n"),
      List.of()),
  OPENCODE(List.of(), true, List.of(), List.of()),
  /** Agents that are continued with a prompt, Claude Code among them. */
  ACP(
      List.of("(?s)\\s*(Continue\\.|Continue from where you left off\\.)\\s*"),
      true,
      List.of(),
      CLAUDE.answers),
  OTHER(List.of(), false, List.of(), List.of());

  private static final String REMINDER = "<system-reminder>";
  private static final String REMINDER_END = "</system-reminder>";

  private final List<String> answers;
  private final boolean reminders;
  private final List<Pattern> wholePatterns;
  private final List<Pattern> partPatterns;
  private final List<Pattern> answerPatterns;

  /**
   * @param whole patterns of texts that it adds
   * @param reminders whether it adds reminders to texts
   * @param part patterns of what it adds to texts
   * @param answers patterns of answers that it invents
   */
  AgentFamily(List<String> whole, boolean reminders, List<String> part, List<String> answers) {
    this.reminders = reminders;
    this.answers = answers;
    wholePatterns = whole.stream().map(Pattern::compile).toList();
    partPatterns = part.stream().map(Pattern::compile).toList();
    answerPatterns = answers.stream().map(Pattern::compile).toList();
  }

  /**
   * Finds the family of a program by its name in workflows ({@code use}).
   *
   * @return {@link #OTHER} for a name without a family
   */
  public static AgentFamily of(String use) {
    for (AgentFamily family : values()) {
      if (family.name().toLowerCase(Locale.ROOT).equals(use)) {
        return family;
      }
    }
    return OTHER;
  }

  @Override
  public boolean areBeside() {
    return this == CODEX;
  }

  @Override
  public boolean isStart(String tool) {
    return this == CODEX && tool.endsWith("spawn_agent");
  }

  @Override
  public boolean isWait(String tool) {
    return this == CODEX && tool.endsWith("wait_agent");
  }

  /**
   * Removes what the agent adds to a text of the user or to a result; empty when nothing is left.
   */
  String strip(String text) {
    String left = reminders ? withoutReminders(text) : text;
    for (Pattern pattern : partPatterns) {
      left = pattern.matcher(left).replaceAll("");
    }
    for (Pattern pattern : wholePatterns) {
      if (pattern.matcher(left).matches()) {
        return "";
      }
    }
    return left;
  }

  /**
   * Not a regular expression, which would search the end of each reminder to the end of the text: a
   * file that an agent has read may have millions of beginnings.
   */
  private static String withoutReminders(String text) {
    StringBuilder left = new StringBuilder();
    int at = 0;
    int begin = text.indexOf(REMINDER);
    while (begin >= 0) {
      int end = text.indexOf(REMINDER_END, begin + REMINDER.length());
      if (end < 0) {
        break;
      }
      left.append(text, at, begin);
      at = end + REMINDER_END.length();
      while (at < text.length() && isSpace(text.charAt(at))) {
        at++;
      }
      begin = text.indexOf(REMINDER, at);
    }
    return at == 0 ? text : left.append(text, at, text.length()).toString();
  }

  /** As {@code \s} of a pattern: changes of it would change keys. */
  private static boolean isSpace(char c) {
    return c == ' ' || c >= '\t' && c <= '\r';
  }

  /** Removes a text of the assistant that the agent has invented; empty when nothing is left. */
  String stripAnswer(String text) {
    return answerPatterns.stream().anyMatch(pattern -> pattern.matcher(text).matches()) ? "" : text;
  }
}
