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
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One fact of a run. Control facts are written by the orchestrator into the control lane, all
 * others by the runner into its epoch's lane. {@code step} is a step's path: its id, or {@code
 * <parallel>/<branch>/<id>} inside a parallel step. {@code branch} is the path without its last
 * part, empty for the main line.
 */
public sealed interface TraceEvent {

  sealed interface Control extends TraceEvent {}

  sealed interface Runner extends TraceEvent {}

  /** An event that is about one step. */
  interface OfStep {
    String step();
  }

  /**
   * @param kind {@code managed}: the orchestrator launches its runners; {@code external}: a foreign
   *     program is its runner, epoch 1 is assigned by this event
   * @param definitionHash of the workflow's canonical form; null for an external run without one
   * @param restart {@code always} or {@code never}
   * @param forkedFrom whose cut it begins with; null where it begins with nothing
   * @param priority -100 to 100: the higher gets a place or a runner first
   * @param definition the workflow's canonical form as text, the bytes of which the hash is, so
   *     that the trace alone is enough to go on elsewhere; null where nobody asked for that, and
   *     where it is larger than {@link Output#INLINE_LIMIT}
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
      kind = kind == null ? "managed" : kind;
      project = project == null ? "default" : project;
      labels = labels == null ? Map.of() : Map.copyOf(labels);
      restart = restart == null ? "always" : restart;
    }

    /** The same with other labels. */
    public RunCreated withLabels(Map<String, String> others) {
      return with(others, definitionHash, definition);
    }

    /** The same run, by another definition from now on. */
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
   * The cut that a fork begins with.
   *
   * @param run the parent
   * @param position of the last event of the parent's that is a part of the fork; 0: it begins
   *     where the parent itself did
   * @param step the parent's step after which, or within which, the cut was made; null where it is
   *     of the whole run
   * @param checkpoint the parent's; null where the cut has none
   */
  record ForkedFrom(
      String run, long position, @Nullable String step, @Nullable String checkpoint) {}

  /**
   * The fence: from here on only this epoch's events count.
   *
   * @param reason {@code start runner_exited runner_left heartbeats_missed unparked resume}
   */
  record RunnerAssigned(int epoch, @Nullable String runner, String reason) implements Control {
    public static final String RESUME = "resume";

    /** What a parked run waited for has come. */
    public static final String UNPARKED = "unparked";

    public RunnerAssigned {
      if (epoch < 1) {
        throw new IllegalArgumentException("epoch " + epoch + " is not 1 or more");
      }
    }

    /** Whether somebody asked for it; otherwise it makes up for a runner that was lost. */
    @JsonIgnore
    public boolean isResume() {
      return reason.equals(RESUME);
    }
  }

  /**
   * @param cut the digest of the files that were approved: that of the question; null where it has
   *     none
   */
  record ApprovalAnswered(
      String step,
      String approval,
      JsonNode answer,
      @Nullable String by,
      @Nullable String comment,
      @Nullable String cut)
      implements Control, OfStep {}

  /**
   * The run's labels from here on, all of them. May come after the run's end, which it does not
   * change.
   */
  record LabelsChanged(Map<String, String> labels, @Nullable String by) implements Control {
    public LabelsChanged {
      labels = labels == null ? Map.of() : Map.copyOf(labels);
    }
  }

  /**
   * @param now the step in progress is stopped at once and runs again at the resume; otherwise it
   *     completes first
   * @param idle no runner has the run, so that it is paused with this
   */
  record PauseRequested(@Nullable String by, boolean now, boolean idle) implements Control {}

  /**
   * Someone lets a run that failed, was lost or is paused go on otherwise than it would by itself.
   * The {@code runner_assigned} of that resume comes next.
   *
   * @param from the step of the main line that is run again, and with it all that came after; null:
   *     nothing is run again
   * @param after with {@code from}, the id of the event as of which the steps and files are again;
   *     null: as the run began
   * @param set corrected outputs of completed steps, by the step's path
   * @param skip steps (paths) to be skipped when a runner comes to them
   * @param definitionHash of the definition by which it goes on; null: the same as before
   * @param changes what that definition has changed, for people
   */
  record ResumeRequested(
      @Nullable String by,
      @Nullable String from,
      @Nullable String after,
      Map<String, Output> set,
      List<String> skip,
      @Nullable String definitionHash,
      List<String> changes)
      implements Control {
    public ResumeRequested {
      set = set == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(set));
      skip = skip == null ? List.of() : List.copyOf(skip);
      changes = changes == null ? List.of() : List.copyOf(changes);
    }
  }

  record RunCancelled(@Nullable String by, @Nullable String reason) implements Control {}

  /**
   * No further runner is tried. With {@link #CRASH_LOOP} the run has failed: its own work ends its
   * runners. With any other reason it is lost.
   *
   * @param reason {@code heartbeats_missed runner_exited restart_never deadline_exceeded
   *     crash_loop}
   * @param detail one line for a person
   */
  record RunLost(String reason, @Nullable String detail) implements Control {
    /** Its runners have died in one visit of a step as often as the orchestrator allows. */
    public static final String CRASH_LOOP = "crash_loop";
  }

  /**
   * @param restored the main line's cut that was restored; null when there was none
   * @param replayedSteps how many completed steps it takes over without running them
   * @param leftOut paths, relative to the workspace, that the cut leaves out and that are missing
   *     here; the first {@link Cut#MAX_LEFT_OUT} of them
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

    /** With all files that there were. */
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
   * Never waited for. Steps without a workspace that end within 50 ms have none: their {@code
   * step_completed} says when they started.
   */
  record StepStarted(String step, String kind, int visit, int attempt) implements Runner, OfStep {
    public StepStarted {
      visit = Math.max(1, visit);
      attempt = Math.max(1, attempt);
    }
  }

  /**
   * A consistent cut: the step's output and, where the step may touch files, the workspace after
   * it.
   *
   * @param next what runs next on this step's branch, decided here and never derived again; empty
   *     at the branch's end
   * @param cut null when the step has no workspace or {@code withoutCut}
   * @param withoutCut the cut could not be stored: a resume goes back to the newest real one
   * @param milestone the number of the milestone that the step ended with, from 0 in its run; null
   *     where it is none
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
      @Nullable Integer milestone)
      implements Runner, OfStep {
    public StepCompleted {
      visit = Math.max(1, visit);
      attempt = Math.max(1, attempt);
      next = next == null ? List.of() : List.copyOf(next);
    }
  }

  /**
   * The step failed for good: no retry is left. Where the workflow says what happens then, the
   * visit has ended as others do; where it does not, the branch has failed, and the step is the one
   * to go on with.
   *
   * @param next as of {@link StepCompleted}; null when the branch has failed
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
   * An attempt failed and another will follow.
   *
   * @param attempt the one that failed, from 1
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
   * @param reason {@link #REPLAYED} where a resumed run takes over a visit that has completed: that
   *     visit stays as it is, and {@code next} is empty
   */
  record StepSkipped(String step, int visit, String reason, List<String> next)
      implements Runner, OfStep {
    public static final String REPLAYED = "replayed from snapshot";

    /** A completed visit that is only told again. */
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
   * The branch is at its end, and a gate is not satisfied: it goes on elsewhere.
   *
   * @param step whose gate it is
   * @param to what runs next on this branch
   * @param count of the branch's reroutes so far, this one included
   */
  record StepRerouted(String step, String to, int count) implements Runner, OfStep {}

  /** Requests an answer from a person: an approval step waits for it. */
  record ApprovalRequested(
      String step,
      String approval,
      String prompt,
      @Nullable JsonNode answerSchema,
      @Nullable JsonNode defaultAnswer,
      @Nullable Instant expiresAt,
      @Nullable String cut)
      implements Runner, OfStep {}

  /**
   * A cut inside a long step, or one asked for.
   *
   * @param trigger {@code periodic detach error complete shutdown manual milestone}
   * @param cut null where the files could not be stored: the run goes on without this one
   * @param error why not; null with a cut
   * @param milestone that the files are; null with any other trigger
   */
  record CheckpointSaved(
      String checkpoint,
      @Nullable String step,
      String trigger,
      @Nullable Cut cut,
      @Nullable String error,
      @Nullable Milestone milestone)
      implements Runner {}

  /**
   * A commit of the workspace that passed its verification.
   *
   * @param index which of its run, from 0
   * @param tier {@code tier0 tier1 tier2}
   * @param commit in the workspace's repository
   * @param sidecarWritten whether {@code .baton/checkpoints/<commit>.json} is beside it
   */
  record Milestone(int index, String title, String tier, String commit, boolean sidecarWritten) {}

  record AgentSessionCreated(String step, String agent, String session) implements Runner, OfStep {}

  record ToolInvoked(String step, String tool, @Nullable JsonNode input)
      implements Runner, OfStep {}

  record PlanUpdated(String step, JsonNode items) implements Runner, OfStep {}

  record RunPaused(@Nullable String reason) implements Runner {}

  /**
   * Nothing of the run is in progress but waits: no runner carries it until one of them is over.
   *
   * @param resumeAt when the first of them is over by itself, by its runner's clock; null where
   *     only an answer ends one
   * @param waitMs how long that is from now on, where a duration is waited for; counted from when
   *     the broker takes the event
   * @param approvals that an answer may end
   */
  record RunParked(@Nullable Instant resumeAt, @Nullable Long waitMs, List<String> approvals)
      implements Runner {
    public RunParked {
      approvals = approvals == null ? List.of() : List.copyOf(approvals);
    }
  }

  record RunCompleted(@Nullable Output output) implements Runner {}

  record RunFailed(@Nullable String step, Failure error) implements Runner {}
}
