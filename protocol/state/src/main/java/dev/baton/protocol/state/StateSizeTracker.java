/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.state;

import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.JsonLengthCalculator;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.ToolCall;
import dev.baton.protocol.trace.TraceEvent;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures the size of a run's state by its events, without those that later events replaced. The
 * checkpoint-store limits the state that it folds by this size, and a runner limits what it adds by
 * the same measure, so that no run grows too large to be resumed. Not thread-safe.
 */
public final class StateSizeTracker {
  /** Size of an output by reference, in bytes of JSON. */
  public static final int REFERENCE = 128;

  /** Size of a step without its path and output, and of its cut, in bytes of JSON. */
  private static final int STEP = 256;

  private static final int CUT = 320;

  /** Size of an answer of a model without its step and content, in bytes of JSON. */
  private static final int ANSWER = 512;

  /** Size of a call that has begun without its id, in bytes of JSON. */
  private static final int BEGUN = 64;

  private final Map<String, Part> steps = new HashMap<>();
  private final Map<String, Integer> lasts = new HashMap<>();
  private final Map<String, Integer> others = new HashMap<>();
  private long bytes;
  private long inlineBytes;

  /**
   * The size of a step, in bytes of JSON.
   *
   * @param event the size of its end event, output included
   * @param inline the part of it that is an inline output
   * @param error the size of its newest failure; an earlier output is counted in addition
   */
  private record Part(int event, int inline, int error) {
    static final Part NONE = new Part(0, 0, 0);
  }

  /** Measures a folded state in the same way as the events it came from. */
  public static StateSizeTracker of(RunState state) {
    StateSizeTracker size = new StateSizeTracker();
    if (state.created() != null) {
      size.put("created", Json.bytes(state.created()).length);
    }
    state
        .steps()
        .forEach(
            (path, step) ->
                size.end(path, STEP + 2 * path.length() + cut(step.cut()), inline(step.output())));
    state
        .branches()
        .forEach(
            (path, branch) -> {
              if (branch.last() != null) {
                size.last(path, inline(branch.last().output()));
              }
            });
    state.approvals().forEach((id, asked) -> size.put("approval " + id, Json.bytes(asked).length));
    state
        .agents()
        .forEach(
            (path, agent) ->
                size.put(
                    answers(path),
                    agent.answers().stream().mapToInt(StateSizeTracker::sizeOf).sum()
                        + agent.begun().keySet().stream()
                            .mapToInt(StateSizeTracker::sizeOfBegun)
                            .sum()));
    state.plans().forEach((path, plan) -> size.put("plan " + path, JsonLengthCalculator.of(plan)));
    return size;
  }

  /** Adds an event that the fold has accepted or will accept. */
  public void add(TraceEvent event) {
    switch (event) {
      case TraceEvent.RunCreated birth -> put("created", Json.bytes(birth).length);
      case TraceEvent.LabelsChanged changed -> put("labels", Json.bytes(changed).length);
      case TraceEvent.ApprovalAnswered answered ->
          put("answer " + answered.approval(), Json.bytes(answered).length);
      case TraceEvent.ApprovalRequested asked -> put("approval " + asked.approval(), sizeOf(asked));
      case TraceEvent.PlanUpdated plan ->
          put("plan " + plan.step(), JsonLengthCalculator.of(plan.items()));
      case TraceEvent.ModelAnswered answer -> {
        String part = answers(answer.step());
        put(part, others.getOrDefault(part, 0) + sizeOf(answer));
      }
      case TraceEvent.ToolBegun begun -> {
        String part = answers(begun.step());
        put(part, others.getOrDefault(part, 0) + sizeOfBegun(begun.id()));
      }
      case TraceEvent.CheckpointSaved saved -> {
        if (saved.turn() != null && saved.resumes() != null && saved.cut() != null) {
          put(answers(saved.resumes().step()), 0);
        }
      }
      case TraceEvent.StepCompleted done -> {
        put(answers(done.step()), 0);
        int inline = inline(done.output());
        if (done.kind().equals("parallel")) {
          // Its branches have ended; the outputs of their steps stay.
          forgetBranches(done.step());
        }
        end(done.step(), ended(done), inline);
        // The output is stored twice: also as the branch's newest.
        last(StepPath.branchOf(done.step()), inline);
      }
      case TraceEvent.StepSkipped skip -> {
        if (!skip.tellsAgain()) {
          end(skip.step(), STEP + 3 * skip.step().length() + skip.reason().length(), 0);
        }
      }
      case TraceEvent.StepFailed failed -> {
        if (failed.next() != null) {
          put(answers(failed.step()), 0);
        }
        // In addition to the output of an earlier visit, which stays.
        Part old = steps.getOrDefault(failed.step(), Part.NONE);
        int error =
            STEP
                + 3 * failed.step().length()
                + failed.error().message().length()
                + cut(failed.cut());
        bytes += error - old.error();
        steps.put(failed.step(), new Part(old.event(), old.inline(), error));
      }
      case TraceEvent.RunCompleted done ->
          put("output", Math.max(inline(done.output()), REFERENCE));
      // Small, or does not replace a step's output.
      case TraceEvent.Runner other -> {}
      case TraceEvent.Control other -> {}
    }
  }

  /** Estimates what the completion of a step adds to the size, if the step has no earlier data. */
  public static long completed(String step, @Nullable Output output) {
    return STEP + CUT + 3L * step.length() + 2L * Math.max(inline(output), REFERENCE);
  }

  private static String answers(String step) {
    return "answers " + step;
  }

  /** Returns the size of a journaled answer; 0 for one that broke off, which is not kept. */
  /** The fold does not keep the input of a tool call. */
  private static int sizeOf(TraceEvent.ApprovalRequested asked) {
    ToolCall tool = asked.tool();
    return Json.bytes(asked).length
        - (tool == null || tool.input() == null ? 0 : JsonLengthCalculator.of(tool.input()));
  }

  private static int sizeOf(TraceEvent.ModelAnswered answer) {
    return answer.answer() == null
        ? 0
        : ANSWER + answer.step().length() + Math.max(inline(answer.answer()), REFERENCE);
  }

  /** A call that begins again is counted again: an estimate may be too high. */
  private static int sizeOfBegun(String call) {
    return BEGUN + call.length();
  }

  private static int ended(TraceEvent.StepCompleted done) {
    return STEP + 2 * done.step().length() + done.next().toString().length() + cut(done.cut());
  }

  private static int cut(@Nullable Cut cut) {
    return cut == null ? 0 : CUT;
  }

  /** Returns the size in bytes of JSON. */
  public long bytes() {
    return bytes;
  }

  /** Returns the part of the size that is inline outputs, each counted once. */
  public long inlineBytes() {
    return inlineBytes;
  }

  private void end(String step, int size, int inline) {
    Part now = new Part(size + Math.max(inline, REFERENCE), inline, 0);
    Part old = steps.put(step, now);
    Part before = old == null ? Part.NONE : old;
    bytes += now.event() - before.event() - before.error();
    inlineBytes += inline - before.inline();
  }

  private void last(String branch, int inline) {
    int size = Math.max(inline, REFERENCE);
    Integer before = lasts.put(branch, size);
    bytes += size - (before == null ? 0 : before);
  }

  private void forgetBranches(String parallel) {
    String prefix = parallel + "/";
    lasts
        .entrySet()
        .removeIf(
            last -> {
              boolean over = last.getKey().startsWith(prefix);
              bytes -= over ? last.getValue() : 0;
              return over;
            });
  }

  private void put(String part, int size) {
    Integer before = others.put(part, size);
    bytes += size - (before == null ? 0 : before);
  }

  private static int inline(@Nullable Output output) {
    return output instanceof Output.Inline(var value) ? JsonLengthCalculator.of(value) : 0;
  }
}
