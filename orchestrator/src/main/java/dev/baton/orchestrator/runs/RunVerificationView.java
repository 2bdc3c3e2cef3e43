/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.orchestrator.runs;

import dev.baton.protocol.grpc.VerifyEventsResponse;
import dev.baton.protocol.state.ControlGap;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/**
 * What the proofs of a run's stored events show.
 *
 * @param valid whether no proof is missing or invalid and no control event is missing
 * @param signed whether the run began with a signed event: else its control events need no
 *     signature, and valid proves nothing about those without one
 * @param keys by kid
 * @param wrong number of events whose proof is missing or invalid
 * @param problems the first 100
 * @param gaps in the control lane, the first 100
 */
@Schema(name = "RunVerification")
public record RunVerificationView(
    String run,
    boolean valid,
    boolean signed,
    ControlProofs control,
    RunnerProofs runner,
    List<ProofKey> keys,
    long wrong,
    List<ProofProblem> problems,
    List<RunView.LogGap> gaps) {

  /**
   * @param signed number of events with a valid signature of an orchestrator
   */
  public record ControlProofs(long events, long signed) {}

  /**
   * @param withLease number of events with a valid lease of their epoch
   * @param leaseNeeded whether each needs one
   */
  public record RunnerProofs(long events, long withLease, boolean leaseNeeded) {}

  /**
   * @param published whether it is in {@code /.well-known/jwks.json}; a removed key proves nothing
   */
  public record ProofKey(String kid, boolean published, long controlEvents, long runnerEvents) {}

  /**
   * @param event the id of an event, or {@code <run>/<lane>} for events of a lane with one lease
   * @param reason {@code missing}, {@code malformed}, {@code unknown_key}, {@code bad_signature} or
   *     {@code foreign}
   * @param detail for people
   * @param events number of events with this problem
   */
  public record ProofProblem(String event, String reason, String detail, long events) {}

  static RunVerificationView of(String run, VerifyEventsResponse response) {
    return new RunVerificationView(
        run,
        response.getWrong() == 0 && response.getGapsCount() == 0,
        response.getSigned(),
        new ControlProofs(response.getControlEvents(), response.getSignedEvents()),
        new RunnerProofs(
            response.getRunnerEvents(), response.getLeasedEvents(), response.getNeedsLease()),
        response.getKeysList().stream()
            .map(
                key ->
                    new ProofKey(
                        key.getKid(),
                        key.getPublished(),
                        key.getControlEvents(),
                        key.getRunnerEvents()))
            .toList(),
        response.getWrong(),
        response.getProblemsList().stream()
            .map(
                problem ->
                    new ProofProblem(
                        problem.getEvent(),
                        problem.getReason(),
                        problem.getDetail(),
                        problem.getEvents()))
            .toList(),
        response.getGapsList().stream()
            .map(gap -> new RunView.LogGap(ControlGap.LANE, gap.getExpected(), gap.getFound()))
            .toList());
  }
}
