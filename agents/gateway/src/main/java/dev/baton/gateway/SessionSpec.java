/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.gateway;

import dev.baton.gateway.boundary.BoundaryCapture;
import dev.baton.gateway.journal.AnswerJournal;
import dev.baton.gateway.journal.JournaledAnswer;
import dev.baton.gateway.key.AgentFamily;
import dev.baton.gateway.spend.SpendLedger;
import java.util.List;

/**
 * What a session needs. A session serves one process of an agent; a restart of the agent opens a
 * new one.
 *
 * @param run id of the run
 * @param epoch epoch of the runner
 * @param step the step
 * @param family whose additions the key leaves out
 * @param ledger of the run: shared by all its sessions
 * @param answers journaled since the boundary from which the agent is resumed, in the order of the
 *     log; empty for a fresh start
 */
public record SessionSpec(
    String run,
    long epoch,
    String step,
    AgentFamily family,
    SpendLedger ledger,
    List<JournaledAnswer> answers,
    AnswerJournal journal,
    BoundaryCapture capture,
    LeaseGate lease,
    GatewayObserver observer) {
  public SessionSpec {
    answers = List.copyOf(answers);
  }
}
