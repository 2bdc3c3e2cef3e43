/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import dev.baton.gateway.key.AgentFamily;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Drives one kind of agent: checks the program, starts or resumes it, reports its events, and names
 * its files.
 *
 * <p>A driver has no state; everything of one process is in its {@link AgentSession}. Thread-safe.
 */
public interface AgentDriver {
  /** The name in workflows, for example {@code claude}. */
  String use();

  /** The family with which the gateway computes keys for this agent. */
  AgentFamily family();

  /**
   * Finds the program and checks its version. Call it before the first start of a step; it takes up
   * to a few seconds and runs the program with nothing but {@code --version}.
   *
   * @return the program with an absolute path and its version
   * @throws AgentProgramException when the program is missing, is not executable, has another
   *     version, or does not report one in time; the message names what was found, what is
   *     required, and how to install it
   */
  CheckedProgram check(AgentProgram program, AgentProcessStarter starter)
      throws AgentProgramException, InterruptedException;

  /**
   * Writes the agent's configuration into the home, starts the process, and returns at once. What
   * the agent does is reported to the listener, its end by {@link AgentSession#end}.
   *
   * <p>A session that cannot be resumed is not an exception: it ends as {@link
   * AgentEnd.Kind#SESSION_REFUSED}, without a call of the model.
   *
   * @throws IOException when the home cannot be written or the process cannot be started
   */
  AgentSession start(AgentLaunch launch, AgentProcessStarter starter, AgentListener listener)
      throws IOException;

  /**
   * The files below the home that a resume needs. Everything else, such as credentials, snapshots
   * of shells, caches and logs, must not be captured.
   */
  StateFiles stateFiles();

  /**
   * Changes the restored state for a workspace at another path: paths in a database are rewritten.
   * Call it after a restore and before {@link #start}, also when the path is the same. Repeating it
   * has no effect.
   *
   * @param folders where workspace and home are now
   * @param oldWorkspace path of the workspace when the state was captured
   * @throws IOException when the state is damaged: {@link #start} refuses its session then
   */
  void relocate(
      AgentFolders folders, Path oldWorkspace, CheckedProgram program, AgentProcessStarter starter)
      throws IOException, InterruptedException;

  /**
   * Waits until the agent's own files contain the results with which a boundary was reached: agents
   * write them up to 150 ms after the request. Call it while the answer is held, before the
   * capture.
   *
   * @param sessionId from {@link AgentEvent.SessionStarted}
   * @param lastCalls ids of the calls from the gateway's boundary; empty at the first one, where
   *     the files must contain the prompt
   * @param bound the longest wait
   * @return false when the files do not contain them after the bound: do not capture, the older
   *     boundary stays the newest
   */
  boolean settled(Path home, String sessionId, List<String> lastCalls, Duration bound)
      throws IOException, InterruptedException;
}
