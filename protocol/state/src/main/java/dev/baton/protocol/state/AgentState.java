/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.baton.protocol.trace.TraceEvent.ModelAnswered;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a new epoch needs to continue an agent step within its turn, and what the step has spent.
 *
 * @param visit that all but the spending belongs to; 0 before the first
 * @param agent as in the workflow's {@code use}; null before its first session
 * @param session the agent's own id of its newest session
 * @param checkpoint id of the newest boundary that the step is resumed from; null for the files
 *     before the step
 * @param boundary number of that boundary
 * @param answers since that boundary, in the order of the log
 * @param begun the calls that have begun since that boundary, of those whose begin is on the log,
 *     by id
 * @param resumes number of resumes in a row that no new answer has followed, without those that the
 *     death of their runner has ended
 * @param runnerDeaths number of resumes that no new answer has followed before their runner died,
 *     since the newest answer
 * @param unanswered whether the newest process was resumed and no new answer has followed yet
 * @param diverged number of calls that differ from the journaled ones after a resume
 * @param spend of all visits
 * @param conversations spend by conversation, the first {@value #MAX_CONVERSATIONS} of them
 * @param fork how the step differs from that of the run's parent; null unless it continued in a
 *     fork
 * @param rest the conversation at the end of the newest visit; null unless it has ended and a later
 *     step of the workflow continues it
 */
public record AgentState(
    int visit,
    @Nullable String agent,
    @Nullable String session,
    @Nullable String checkpoint,
    int boundary,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<ModelAnswered> answers,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, BegunToolCall> begun,
    int resumes,
    int runnerDeaths,
    boolean unanswered,
    long diverged,
    AgentSpend spend,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, AgentSpend> conversations,
    @Nullable AgentFork fork,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable AgentRest rest) {
  public static final int MAX_CONVERSATIONS = 256;

  /** The conversation that counts the answers of all beyond {@link #MAX_CONVERSATIONS}. */
  public static final String OTHER_CONVERSATIONS = "(others)";

  public static final AgentState NONE =
      new AgentState(
          0,
          null,
          null,
          null,
          0,
          List.of(),
          Map.of(),
          0,
          0,
          false,
          0,
          AgentSpend.NONE,
          Map.of(),
          null,
          null);

  public AgentState {
    answers = answers == null ? List.of() : List.copyOf(answers);
    begun = begun == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(begun));
    conversations =
        conversations == null
            ? Map.of()
            : Collections.unmodifiableMap(new LinkedHashMap<>(conversations));
  }

  /** Returns the state of an agent of another run that continues at a copy of the boundary. */
  AgentState continuedAt(@Nullable String copy) {
    return unspent(copy, boundary, forked(), null);
  }

  /** Returns the state of an agent whose visit has ended, in a fork. */
  AgentState restedInFork(AgentRest own) {
    return unspent(null, 0, fork == null ? null : fork.inNextVisit(), own);
  }

  /** Returns the same agent in another run, which has spent nothing yet. */
  private AgentState unspent(
      @Nullable String checkpoint,
      int boundary,
      @Nullable AgentFork fork,
      @Nullable AgentRest rest) {
    return new AgentState(
        visit,
        agent,
        session,
        checkpoint,
        boundary,
        List.of(),
        Map.of(),
        0,
        0,
        false,
        0,
        AgentSpend.NONE,
        Map.of(),
        fork,
        rest);
  }

  /** Returns the fork of this agent: what it has forked itself, if it has no boundary since. */
  private AgentFork forked() {
    return fork == null
        ? new AgentFork(session, agent, null, null, null)
        : new AgentFork(
            fork.session() == null ? session : fork.session(),
            fork.session() == null ? agent : fork.agent(),
            null,
            fork.model(),
            fork.use());
  }

  /**
   * Returns the answers that a process gets again that starts at a checkpoint.
   *
   * @param start id of the boundary's checkpoint; null for the files before the step
   */
  public List<ModelAnswered> answersSince(int ofVisit, @Nullable String start) {
    return visit == ofVisit && Objects.equals(checkpoint, start) ? answers : List.of();
  }

  /**
   * Returns the calls that have begun since a checkpoint at which a process starts, by id.
   *
   * @param start id of the boundary's checkpoint; null for the files before the step
   */
  public Map<String, BegunToolCall> begunSince(int ofVisit, @Nullable String start) {
    return visit == ofVisit && Objects.equals(checkpoint, start) ? begun : Map.of();
  }
}
