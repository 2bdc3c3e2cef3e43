/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One event of a run. The orchestrator writes control events into the control lane, the runner
 * writes all others into its epoch's lane. {@code step} is a step's path: its id, or {@code
 * <parallel>/<branch>/<id>} inside a parallel step. {@code branch} is the path without its last
 * part, empty for the main line.
 */
public sealed interface TraceEvent {

  sealed interface Control extends TraceEvent {}

  sealed interface Runner extends TraceEvent {}

  interface OfStep {
    String step();
  }

  /**
   * @param kind {@code managed}: the orchestrator launches its runners; {@code external}: a foreign
   *     program is its runner, and this event assigns epoch 1
   * @param definitionHash of the workflow's canonical form; null for an external run without one
   * @param restart {@code always} or {@code never}
   * @param forkedFrom the cut of another run that it begins with; null where it begins empty
   * @param priority -100 to 100: runs with a higher one get a slot or a runner first
   * @param definition the workflow's canonical form as text, exactly the bytes of the hash, so that
   *     the trace alone is enough to continue the run in another cluster; null where that was not
   *     requested, and above {@link Output#INLINE_LIMIT}
   */
  record RunCreated(
      String kind,
      String project,
      @Nullable String workflow,
      @Nullable String definitionHash,
      @Nullable Output input,
      Map<String, String> labels,
      @Nullable Instant deadline,
      String restart,
      @Nullable Long heartbeatIntervalMs,
      @Nullable Long heartbeatTimeoutMs,
      Instant createdAt,
      @Nullable ForkedFrom forkedFrom,
      int priority,
      @Nullable String definition)
      implements Control {
    public RunCreated {
      kind = kind == null ? RunKind.MANAGED.word() : kind;
      project = project == null ? "default" : project;
      labels = labels == null ? Map.of() : Map.copyOf(labels);
      restart = restart == null ? "always" : restart;
    }

    /** Whether the orchestrator starts the run's runners. */
    @JsonIgnore
    public boolean isManaged() {
      return kind.equals(RunKind.MANAGED.word());
    }

    /** Whether a foreign program is the run's runner; this event then assigns epoch 1. */
    @JsonIgnore
    public boolean isExternal() {
      return kind.equals(RunKind.EXTERNAL.word());
    }

    /** Returns the event with other labels. */
    public RunCreated withLabels(Map<String, String> others) {
      return with(others, definitionHash, definition);
    }

    /** Returns the event with another definition, as changed by a resume. */
    public RunCreated withDefinition(String hash) {
      return with(labels, hash, null);
    }

    private RunCreated with(
        Map<String, String> otherLabels, @Nullable String hash, @Nullable String text) {
      return new RunCreated(
          kind,
          project,
          workflow,
          hash,
          input,
          otherLabels,
          deadline,
          restart,
          heartbeatIntervalMs,
          heartbeatTimeoutMs,
          createdAt,
          forkedFrom,
          priority,
          text);
    }
  }

  /**
   * Fences older epochs: from this event on only this epoch's events are accepted.
   *
   * @param reason {@code start runner_exited runner_left heartbeats_missed unparked resume}
   * @param waitedMs time since the broker received its {@code run_parked}; null: it was not parked
   */
  record RunnerAssigned(int epoch, @Nullable String runner, String reason, @Nullable Long waitedMs)
      implements Control {
    public static final String RESUME = "resume";

    /** A wait of a parked run is over. */
    public static final String UNPARKED = "unparked";

    public RunnerAssigned {
      if (epoch < 1) {
        throw new IllegalArgumentException("epoch " + epoch + " is not 1 or more");
      }
    }

    /** Creates the event of a run that was not parked. */
    public RunnerAssigned(int epoch, @Nullable String runner, String reason) {
      this(epoch, runner, reason, null);
    }

    /** Whether a user requested the new epoch. */
    @JsonIgnore
    public boolean isResume() {
      return reason.equals(RESUME);
    }
  }

  /**
   * @param cut digest of the approved files, as in the request; null where it has none
   */
  record ApprovalAnswered(
      String step,
      String approval,
      JsonNode answer,
      @Nullable String by,
      @Nullable String comment,
      @Nullable String cut)
      implements Control, OfStep {}

  /** Replaces all labels of the run. Allowed after the run's end, which it does not change. */
  record LabelsChanged(Map<String, String> labels, @Nullable String by) implements Control {
    public LabelsChanged {
      labels = labels == null ? Map.of() : Map.copyOf(labels);
    }
  }

  /**
   * @param now whether the current step stops at once and runs again; otherwise it completes first
   * @param idle whether no runner has the run: this event itself pauses it
   * @param reason of the orchestrator, such as {@code log_gap: …}; null: a caller requested it
   */
  record PauseRequested(@Nullable String by, boolean now, boolean idle, @Nullable String reason)
      implements Control {}

  /**
   * A request to resume a failed, lost or paused run with corrections. The {@code runner_assigned}
   * of that resume follows.
   *
   * @param from step of the main line to restart from, discarding all after it; null for none
   * @param after with {@code from}, the id of the event whose state of steps and files is restored;
   *     null: the run's initial state
   * @param set corrected outputs of completed steps, by the step's path
   * @param skip steps (paths) to skip when a runner reaches them
   * @param definitionHash of the definition to resume with; null: unchanged
   * @param changes of that definition, for people
   * @param budget replaces the budgets of the same names in the run's agent steps; null: unchanged
   */
  record ResumeRequested(
      @Nullable String by,
      @Nullable String from,
      @Nullable String after,
      Map<String, Output> set,
      List<String> skip,
      @Nullable String definitionHash,
      List<String> changes,
      @Nullable ModelBudget budget)
      implements Control {
    public ResumeRequested {
      set = set == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(set));
      skip = skip == null ? List.of() : List.copyOf(skip);
      changes = changes == null ? List.of() : List.copyOf(changes);
    }
  }

  record RunCancelled(@Nullable String by, @Nullable String reason) implements Control {}

  /**
   * No further runner is assigned. With {@link #CRASH_LOOP} the run has failed: its own work
   * crashes its runners. With any other reason it is lost.
   *
   * @param reason {@code heartbeats_missed runner_exited restart_never deadline_exceeded
   *     crash_loop}
   * @param detail one line for a person
   */
  record RunLost(String reason, @Nullable String detail) implements Control {
    /** Its runners were lost in one visit of a step as often as the orchestrator allows. */
    public static final String CRASH_LOOP = "crash_loop";
  }

  /**
   * @param restored the main line's cut that was restored; null when there was none
   * @param replayedSteps number of completed steps that the runner does not run again
   * @param leftOut the first {@link Cut#MAX_LEFT_OUT} missing paths that the cut excludes
   */
  record RunnerStarted(
      String runner,
      @Nullable Long pid,
      @Nullable String host,
      @Nullable String restored,
      int replayedSteps,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> leftOut)
      implements Runner {
    public RunnerStarted {
      leftOut = leftOut == null ? List.of() : List.copyOf(leftOut);
    }

    /** Creates the event of a start without missing paths. */
    public RunnerStarted(
        String runner,
        @Nullable Long pid,
        @Nullable String host,
        @Nullable String restored,
        int replayedSteps) {
      this(runner, pid, host, restored, replayedSteps, List.of());
    }
  }

  /**
   * The runner cannot restore checkpoints that the run needs, and continues from an earlier state:
   * what came after it runs again. Acknowledged before any step of that state starts. Comes before
   * {@code runner_started}, or between two where a branch's checkpoint turns out to be damaged.
   *
   * @param damaged the newly lost checkpoints, newest first; 1 to {@link #MAX_DAMAGED}
   * @param after the id of the event whose state is restored; null: the run's initial state
   */
  record RunDegraded(List<DamagedCheckpoint> damaged, @Nullable String after) implements Runner {
    /** How many damaged checkpoints a runner passes over before the run starts again. */
    public static final int MAX_DAMAGED = 16;

    public RunDegraded {
      damaged = damaged == null ? List.of() : List.copyOf(damaged);
    }
  }

  /**
   * Sent without waiting for an acknowledgement. A step without a workspace that ends within 50 ms
   * has no such event: its {@code step_completed} has the start time.
   *
   * @param resumedFrom id of the checkpoint of this visit on whose files it starts; null for none
   */
  record StepStarted(String step, String kind, int visit, int attempt, @Nullable String resumedFrom)
      implements Runner, OfStep {
    public StepStarted {
      visit = Math.max(1, visit);
      attempt = Math.max(1, attempt);
    }

    public StepStarted(String step, String kind, int visit, int attempt) {
      this(step, kind, visit, attempt, null);
    }
  }

  /**
   * A consistent cut: the step's output and, where the step may change files, the files after it.
   *
   * @param next the next steps of this branch, never computed again; empty at the branch's end
   * @param cut null when the step has no workspace or {@code withoutCut}
   * @param withoutCut whether the cut could not be stored: a resume then continues from the newest
   *     stored one
   * @param milestone number of the milestone that the step ended with, from 0; null for none
   * @param conversation at its end, in the cut's checkpoint; null unless a later step continues it
   */
  record StepCompleted(
      String step,
      String kind,
      int visit,
      int attempt,
      @Nullable Output output,
      @Nullable Cut cut,
      boolean withoutCut,
      List<String> next,
      @Nullable Integer exitCode,
      @Nullable LogTail log,
      @Nullable Instant startedAt,
      long durationUs,
      @Nullable Integer milestone,
      @Nullable AgentConversation conversation)
      implements Runner, OfStep {
    public StepCompleted {
      visit = Math.max(1, visit);
      attempt = Math.max(1, attempt);
      next = next == null ? List.of() : List.copyOf(next);
    }
  }

  /**
   * The step failed and has no retries left. If the workflow defines a next step for the failure,
   * the visit has ended; otherwise the branch has failed, and a resume restarts at this step.
   *
   * @param next as in {@link StepCompleted}; null when the branch has failed
   * @param cut the workspace as the failed step left it; null when the branch has failed, when the
   *     step has no workspace, or {@code withoutCut}
   */
  record StepFailed(
      String step,
      String kind,
      int visit,
      int attempt,
      Failure error,
      @Nullable LogTail log,
      @Nullable List<String> next,
      @Nullable Cut cut,
      boolean withoutCut)
      implements Runner, OfStep {
    public StepFailed {
      visit = Math.max(1, visit);
      attempt = Math.max(1, attempt);
      next = next == null ? null : List.copyOf(next);
    }
  }

  /**
   * An attempt failed and another follows.
   *
   * @param attempt the failed one, from 1
   */
  record StepRetried(
      String step,
      String kind,
      int visit,
      int attempt,
      Failure error,
      long delayMs,
      @Nullable LogTail log)
      implements Runner, OfStep {
    public StepRetried {
      visit = Math.max(1, visit);
      attempt = Math.max(1, attempt);
    }
  }

  /**
   * @param reason {@link #REPLAYED} where a resumed run keeps a completed visit: its state does not
   *     change, and {@code next} is empty
   */
  record StepSkipped(String step, int visit, String reason, List<String> next)
      implements Runner, OfStep {
    public static final String REPLAYED = "replayed from snapshot";

    /** Creates the event that repeats a completed visit. */
    public static StepSkipped replayed(String step, int visit) {
      return new StepSkipped(step, visit, REPLAYED, List.of());
    }

    public boolean tellsAgain() {
      return reason.equals(REPLAYED);
    }

    public StepSkipped {
      visit = Math.max(1, visit);
      next = next == null ? List.of() : List.copyOf(next);
    }
  }

  /**
   * The branch has ended and a gate is not satisfied: the branch continues at another step.
   *
   * @param step the step with the gate
   * @param to the next step of this branch
   * @param count of the branch's reroutes so far, this one included
   */
  record StepRerouted(String step, String to, int count) implements Runner, OfStep {}

  /**
   * Requests an answer from a person, for an approval step or a tool call of an agent.
   *
   * @param cut digest of the files that it is about; for a call those of the newest boundary
   * @param tool the call; null for an approval step
   */
  record ApprovalRequested(
      String step,
      String approval,
      String prompt,
      @Nullable JsonNode answerSchema,
      @Nullable JsonNode defaultAnswer,
      @Nullable Instant expiresAt,
      @Nullable String cut,
      @Nullable ToolCall tool)
      implements Runner, OfStep {}

  /**
   * A cut inside a long step, or a requested one.
   *
   * @param trigger {@code periodic detach error complete shutdown manual milestone turn}
   * @param cut null where the files could not be stored: the run continues without this cut
   * @param error why they could not be stored; null with a cut
   * @param milestone of these files; null with any other trigger
   * @param resumes the attempt that a new epoch continues with these files; null if none: without
   *     {@code resume: from_checkpoint}, and in agent steps for all but boundaries of turns
   * @param turn the agent's turn that begins with these files; null with any other trigger
   */
  record CheckpointSaved(
      String checkpoint,
      @Nullable String step,
      String trigger,
      @Nullable Cut cut,
      @Nullable String error,
      @Nullable Milestone milestone,
      @Nullable StepAttempt resumes,
      @Nullable AgentTurn turn)
      implements Runner {
    public CheckpointSaved(
        String checkpoint,
        @Nullable String step,
        String trigger,
        @Nullable Cut cut,
        @Nullable String error,
        @Nullable Milestone milestone) {
      this(checkpoint, step, trigger, cut, error, milestone, null, null);
    }
  }

  /**
   * A process of an agent has started, or an agent has started a sub-agent.
   *
   * @param agent as in the workflow's {@code use}
   * @param session the agent's own id of its session
   * @param version of the agent's program; null where unknown
   * @param model as requested; null for the agent's default
   * @param parent session that started this one; null for the step's own
   * @param resumed whether the session continues one that was lost with its process
   * @param resumedFrom checkpoint that it continues with; null where it starts as before the step
   * @param degraded why the lost session could not be continued, so that this is a new one; or null
   * @param screen as it was created again; null without one, or for an empty one
   */
  record AgentSessionCreated(
      String step,
      String agent,
      String session,
      @Nullable String version,
      @Nullable String model,
      @Nullable String parent,
      @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean resumed,
      @Nullable String resumedFrom,
      @Nullable String degraded,
      @Nullable RestoredScreen screen)
      implements Runner, OfStep {}

  /**
   * A tool call of an agent has ended.
   *
   * @param input shortened by the runner; null where it is too large or unknown
   * @param id the agent's id of the call; null where it has none
   * @param session that made the call; null for the step's own
   * @param startedAt null where unknown
   * @param ms duration; null where unknown
   * @param outcome {@code ok error denied cancelled unknown}; null where unknown
   * @param files paths in the workspace that the tool reported as changed; at most 100
   */
  record ToolInvoked(
      String step,
      String tool,
      @Nullable JsonNode input,
      @Nullable String id,
      @Nullable String session,
      @Nullable Instant startedAt,
      @Nullable Long ms,
      @Nullable String outcome,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> files)
      implements Runner, OfStep {
    public static final int MAX_FILES = 100;

    public ToolInvoked {
      files = files == null ? List.of() : List.copyOf(files);
    }
  }

  /**
   * A tool call of an agent begins that matters to a resume: the step's {@code interrupted} is
   * about it, or the agent uses its own login. Acknowledged before the call runs.
   *
   * @param tool name
   * @param id the agent's id of the call; the digest of its input where it has none
   * @param input beginning of its main input; null unless the agent uses its own login
   */
  record ToolBegun(String step, String tool, String id, @Nullable String input)
      implements Runner, OfStep {}

  /**
   * Calls since the boundary that a resumed agent with its own login may make again.
   *
   * @param omitted number of such calls beyond the first {@link RepeatedCall#MAX_LISTED}
   */
  record CallsRepeated(String step, List<RepeatedCall> calls, int omitted)
      implements Runner, OfStep {
    public CallsRepeated {
      calls = calls == null ? List.of() : List.copyOf(calls);
    }
  }

  /**
   * A model has answered an agent. Acknowledged before the agent gets the end of the answer, so
   * that a resumed agent gets it again without a call.
   *
   * @param conversation name of the conversation in the gateway: an agent may have several
   * @param key digest of the conversation that the answer belongs to
   * @param affinity digest of system prompt and tools: of answers with the same key, one with the
   *     same affinity is given first
   * @param form {@code anthropic-messages openai-responses openai-chat reported}
   * @param model as requested
   * @param answer as journaled by the gateway; null where it broke off and only its cost counts
   * @param usage null where the model has not reported it
   * @param cost in US dollars; null where the usage or the price is unknown
   * @param ms duration of the call
   * @param tools names of the tools that the answer calls, in its order; at most 100
   * @param diverged whether a resume requested it although other journaled answers were left
   */
  record ModelAnswered(
      String step,
      String conversation,
      String key,
      String affinity,
      String form,
      String model,
      @Nullable Output answer,
      @Nullable String providerRequestId,
      @Nullable ModelUsage usage,
      @Nullable BigDecimal cost,
      long ms,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> tools,
      @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean diverged)
      implements Runner, OfStep {
    public static final int MAX_TOOLS = 100;

    public ModelAnswered {
      tools = tools == null ? List.of() : List.copyOf(tools);
      cost = cost == null ? null : ModelUsage.plain(cost);
    }
  }

  /**
   * A summary has replaced the older part of a conversation; checkpoints before have all of it.
   *
   * @param trigger {@code auto} or {@code manual}
   * @param tokensBefore tokens of the conversation, as the agent counts; null where unknown
   */
  record AgentCompacted(String step, String trigger, @Nullable Long tokensBefore)
      implements Runner, OfStep {}

  /** The processes in the background that the checkpoint lists of which an agent is resumed. */
  record BackgroundResumed(String step, List<BackgroundOutcome> processes)
      implements Runner, OfStep {
    public BackgroundResumed {
      processes = List.copyOf(processes == null ? List.of() : processes);
    }
  }

  record PlanUpdated(String step, JsonNode items) implements Runner, OfStep {}

  record RunPaused(@Nullable String reason) implements Runner {}

  /**
   * All of the run's active steps wait: it has no runner until one of the waits ends.
   *
   * @param resumeAt when the first timer ends, by its runner's clock; null where none runs
   * @param waitMs remaining time of that timer, where it is a duration, from the broker's timestamp
   * @param approvals whose answer can end a wait
   * @param leftMs remaining times of at most 100 waits for a duration, by their steps' paths
   */
  record RunParked(
      @Nullable Instant resumeAt,
      @Nullable Long waitMs,
      List<String> approvals,
      @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, Long> leftMs)
      implements Runner {
    public RunParked {
      approvals = approvals == null ? List.of() : List.copyOf(approvals);
      leftMs = leftMs == null ? Map.of() : Map.copyOf(leftMs);
    }
  }

  record RunCompleted(@Nullable Output output) implements Runner {}

  record RunFailed(@Nullable String step, Failure error) implements Runner {}
}
