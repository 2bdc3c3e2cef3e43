/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import java.util.List;

/**
 * Rules for the tools of an agent, by patterns: the name of a tool, or the name with a beginning of
 * its main input in parentheses, as {@code Bash(git push*)}; {@code *} matches any text. The name
 * is that of the agent ({@code Bash}, {@code shell}, {@code mcp__server__tool}).
 *
 * <p>Deny comes before ask, ask before allow. With an empty {@code allow} every tool is allowed
 * that is neither denied nor asked for; with patterns in it, other tools are denied.
 */
public record ToolRules(List<String> allow, List<String> ask, List<String> deny) {
  /** Allows everything. */
  public static final ToolRules ALL = new ToolRules(List.of(), List.of(), List.of());

  public ToolRules {
    allow = List.copyOf(allow);
    ask = List.copyOf(ask);
    deny = List.copyOf(deny);
  }

  /** The decision of the rules about a call. */
  public enum Verdict {
    ALLOW,
    ASK,
    DENY
  }

  /** Whether no call is denied or asked for. */
  public boolean allowsEverything() {
    return allow.isEmpty() && ask.isEmpty() && deny.isEmpty();
  }

  /**
   * Judges a call.
   *
   * @param tool name
   * @param input its main input (command, path, URL); empty for none
   */
  public Verdict judge(String tool, String input) {
    if (matches(deny, tool, input)) {
      return Verdict.DENY;
    }
    if (matches(ask, tool, input)) {
      return Verdict.ASK;
    }
    return allow.isEmpty() || matches(allow, tool, input) ? Verdict.ALLOW : Verdict.DENY;
  }

  private static boolean matches(List<String> patterns, String tool, String input) {
    return patterns.stream().anyMatch(pattern -> matches(pattern, tool, input));
  }

  private static boolean matches(String pattern, String tool, String input) {
    int open = pattern.indexOf('(');
    if (open < 0 || !pattern.endsWith(")")) {
      return like(pattern, tool);
    }
    return like(pattern.substring(0, open), tool)
        && like(pattern.substring(open + 1, pattern.length() - 1), input);
  }

  /** Matches with {@code *} as any text, in linear time for each star. */
  private static boolean like(String pattern, String text) {
    int p = 0;
    int t = 0;
    int star = -1;
    int mark = 0;
    while (t < text.length()) {
      if (p < pattern.length() && pattern.charAt(p) == '*') {
        star = p++;
        mark = t;
      } else if (p < pattern.length() && pattern.charAt(p) == text.charAt(t)) {
        p++;
        t++;
      } else if (star >= 0) {
        p = star + 1;
        t = ++mark;
      } else {
        return false;
      }
    }
    while (p < pattern.length() && pattern.charAt(p) == '*') {
      p++;
    }
    return p == pattern.length();
  }
}
