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
 *
 * @param interrupted which calls do not simply run again after the agent was lost in them
 */
public record ToolRules(
    List<String> allow, List<String> ask, List<String> deny, InterruptedCallRules interrupted) {
  /** Allows everything. */
  public static final ToolRules ALL = new ToolRules(List.of(), List.of(), List.of());

  public ToolRules {
    allow = List.copyOf(allow);
    ask = List.copyOf(ask);
    deny = List.copyOf(deny);
  }

  /** Rules under which interrupted calls run again. */
  public ToolRules(List<String> allow, List<String> ask, List<String> deny) {
    this(allow, ask, deny, InterruptedCallRules.RERUN);
  }

  /** The decision of the rules about a call. */
  public enum Verdict {
    ALLOW,
    ASK,
    DENY
  }

  /** Whether every call runs without a decision of the listener. */
  public boolean allowsEverything() {
    return allow.isEmpty() && ask.isEmpty() && deny.isEmpty() && interrupted.rerunsEverything();
  }

  /**
   * Whether a call that is allowed has to be reported with {@link AgentListener#begin} before it
   * runs.
   */
  public boolean watches(String tool, String input) {
    return interrupted.treatment(tool, input) != InterruptedCallRules.Treatment.RERUN;
  }

  /**
   * Judges a call.
   *
   * @param tool name
   * @param input its main input (command, path, URL); empty for none
   */
  public Verdict judge(String tool, String input) {
    if (ToolPattern.anyMatches(deny, tool, input)) {
      return Verdict.DENY;
    }
    if (ToolPattern.anyMatches(ask, tool, input)) {
      return Verdict.ASK;
    }
    return allow.isEmpty() || ToolPattern.anyMatches(allow, tool, input)
        ? Verdict.ALLOW
        : Verdict.DENY;
  }
}
