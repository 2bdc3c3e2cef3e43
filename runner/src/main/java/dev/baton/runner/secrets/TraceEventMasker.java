/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

import dev.baton.protocol.trace.BackgroundOutcome;
import dev.baton.protocol.trace.Failure;
import dev.baton.protocol.trace.LogTail;
import dev.baton.protocol.trace.Output;
import dev.baton.protocol.trace.RepeatedCall;
import dev.baton.protocol.trace.ToolCall;
import dev.baton.protocol.trace.TraceEvent;
import org.jspecify.annotations.Nullable;

/**
 * Masks secrets in the texts of events that programs, services and people write. Ids, digests and
 * names come from the definition and the runner, and stay.
 */
public final class TraceEventMasker {
  private final SecretMasker masker;

  public TraceEventMasker(SecretMasker masker) {
    this.masker = masker;
  }

  /** Returns the event with masked secrets. */
  public TraceEvent.Runner mask(TraceEvent.Runner event) {
    return masker.isEmpty() ? event : masked(event);
  }

  private TraceEvent.Runner masked(TraceEvent.Runner event) {
    return switch (event) {
      case TraceEvent.RunnerStarted it -> it;
      case TraceEvent.RunDegraded it -> it;
      case TraceEvent.StepStarted it -> it;
      case TraceEvent.StepSkipped it -> it;
      case TraceEvent.StepRerouted it -> it;
      case TraceEvent.AgentCompacted it -> it;
      case TraceEvent.RunPaused it -> it;
      case TraceEvent.RunParked it -> it;
      case TraceEvent.StepCompleted it ->
          new TraceEvent.StepCompleted(
              it.step(),
              it.kind(),
              it.visit(),
              it.attempt(),
              output(it.output()),
              it.cut(),
              it.withoutCut(),
              it.next(),
              it.exitCode(),
              log(it.log()),
              it.startedAt(),
              it.durationUs(),
              it.milestone(),
              it.conversation());
      case TraceEvent.StepFailed it ->
          new TraceEvent.StepFailed(
              it.step(),
              it.kind(),
              it.visit(),
              it.attempt(),
              mask(it.error()),
              log(it.log()),
              it.next(),
              it.cut(),
              it.withoutCut());
      case TraceEvent.StepRetried it ->
          new TraceEvent.StepRetried(
              it.step(),
              it.kind(),
              it.visit(),
              it.attempt(),
              mask(it.error()),
              it.delayMs(),
              log(it.log()));
      case TraceEvent.ApprovalRequested it ->
          new TraceEvent.ApprovalRequested(
              it.step(),
              it.approval(),
              masker.mask(it.prompt()),
              it.answerSchema(),
              it.defaultAnswer(),
              it.expiresAt(),
              it.cut(),
              tool(it.tool()));
      case TraceEvent.CheckpointSaved it ->
          new TraceEvent.CheckpointSaved(
              it.checkpoint(),
              it.step(),
              it.trigger(),
              it.cut(),
              masker.maskNullable(it.error()),
              it.milestone(),
              it.resumes(),
              it.turn());
      case TraceEvent.AgentSessionCreated it ->
          new TraceEvent.AgentSessionCreated(
              it.step(),
              it.agent(),
              it.session(),
              it.version(),
              it.model(),
              it.parent(),
              it.resumed(),
              it.resumedFrom(),
              masker.maskNullable(it.degraded()),
              it.screen());
      case TraceEvent.ToolInvoked it ->
          new TraceEvent.ToolInvoked(
              it.step(),
              it.tool(),
              masker.maskNullable(it.input()),
              it.id(),
              it.session(),
              it.startedAt(),
              it.ms(),
              it.outcome(),
              it.files());
      case TraceEvent.ToolBegun it ->
          new TraceEvent.ToolBegun(it.step(), it.tool(), it.id(), masker.maskNullable(it.input()));
      case TraceEvent.CallsRepeated it ->
          new TraceEvent.CallsRepeated(
              it.step(), it.calls().stream().map(this::call).toList(), it.omitted());
      case TraceEvent.ModelAnswered it ->
          new TraceEvent.ModelAnswered(
              it.step(),
              it.conversation(),
              it.key(),
              it.affinity(),
              it.form(),
              it.model(),
              output(it.answer()),
              it.providerRequestId(),
              it.usage(),
              it.cost(),
              it.ms(),
              it.tools(),
              it.diverged());
      case TraceEvent.BackgroundResumed it ->
          new TraceEvent.BackgroundResumed(
              it.step(), it.processes().stream().map(this::background).toList());
      case TraceEvent.PlanUpdated it ->
          new TraceEvent.PlanUpdated(it.step(), masker.mask(it.items()));
      case TraceEvent.RunCompleted it -> new TraceEvent.RunCompleted(output(it.output()));
      case TraceEvent.RunFailed it -> new TraceEvent.RunFailed(it.step(), mask(it.error()));
    };
  }

  /** Returns the failure with a masked message. */
  public Failure mask(Failure failure) {
    return new Failure(failure.code(), masker.maskShortened(failure.message()), failure.exitCode());
  }

  /** An output by reference was masked before it was stored. */
  private @Nullable Output output(@Nullable Output output) {
    return output instanceof Output.Inline(var value)
        ? new Output.Inline(masker.mask(value))
        : output;
  }

  private @Nullable LogTail log(@Nullable LogTail log) {
    return log == null
        ? null
        : new LogTail(
            masker.mask(log.tail()),
            log.digest(),
            log.bytes(),
            log.lines(),
            log.missingLines(),
            log.missingBytes());
  }

  private @Nullable ToolCall tool(@Nullable ToolCall call) {
    return call == null
        ? null
        : new ToolCall(
            call.call(),
            call.name(),
            masker.maskNullable(call.input()),
            call.inputDigest(),
            masker.maskNullable(call.reason()));
  }

  private RepeatedCall call(RepeatedCall call) {
    return new RepeatedCall(
        call.id(), call.tool(), masker.maskNullable(call.input()), call.outcome());
  }

  private BackgroundOutcome background(BackgroundOutcome process) {
    return new BackgroundOutcome(
        masker.mask(process.command()),
        process.folder(),
        process.outcome(),
        masker.maskNullable(process.reason()),
        process.log());
  }
}
